/** The report of a run over the APIs: which rows it reads, its documents, and what it leaves out. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addEvent } from '../../domain/rules/rows/event-log.ts';
import type { EventKind, LivestreamEvent } from '../../domain/shapes/installation/event.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { startMcpApi } from '../app/mcp-api.ts';
import { openRestApi } from '../app/rest-api.ts';
import type { MadeFile } from '../../toolkit/tool.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { seedBroadcast } from '../helpers/seed.ts';

const at = (time: string, day = '2025-12-31'): string => `${day}T${time}.000Z`;
const BAD = '<script>alert(1)</script>|`x`';

type Happened = [time: string, kind: EventKind, data?: LivestreamEvent['data'], message?: string];
const RUN: Happened[] = [
  ['20:00:00', 'start_requested', { runId: 'one' }, 'anna started "Show".'],
  ['20:00:05', 'started', { runId: 'one' }],
  ['20:14:00', 'source_lost', { channelId: 1 }, `Channel "${BAD}" gives no more pictures.`],
  ['20:14:30', 'source_restored', { channelId: 1 }],
  ['21:00:00', 'stopped', { runId: 'one' }],
  ['22:00:00', 'start_requested', { runId: 'two' }],
  ['22:00:04', 'started', { runId: 'two' }],
];

async function tell(
  store: TestApp['store'],
  livestreamId: number,
  happened: readonly Happened[] = RUN,
  day?: string,
): Promise<void> {
  await store.tx((tx) => {
    for (const [time, kind, data = {}, message = `${kind}.`] of happened)
      addEvent(tx, at(time, day), livestreamId, { kind, severity: 'info', message, data });
  });
}

describe('getRunReport', () => {
  let app: TestApp;
  let livestreamId: number;
  let publishingId: number;
  before(async () => {
    app = await startTestApp({ timezone: 'UTC' });
    ({ livestreamId, publishingId } = await addBroadcast(app));
    await tell(app.store, livestreamId);
  });
  after(() => app.close());

  const report = (args: object = {}): Promise<any> => app.data('getRunReport', { livestreamId, ...args });

  it('getRunReport is about the last run, another one by its runId, or the time between two instants', async () => {
    const last = await report();
    assert.deepEqual([last.run.runId, last.from, last.missed], ['two', at('22:00:00'), []]);
    const first = await report({ run: 'one' });
    assert.deepEqual([first.from, first.to, first.missed_seconds], [at('20:00:00'), at('21:00:00'), 30]);
    assert.deepEqual(first.run, {
      runId: 'one',
      started_at: at('20:00:00'),
      on_air_at: at('20:00:05'),
      ended_at: at('21:00:00'),
    });
    const part = await report({ from: '2025-12-31T21:14:10', to: '2025-12-31T21:20', timezone: 'Europe/Zurich' });
    assert.deepEqual([part.run.runId, part.missed_seconds, part.missed[0].from], ['one', 20, at('20:14:00')]);
    assert.match(part.verdict, /From 21:14:00 to 21:14:30 \(20 s\) viewers had the fallback/u);
    const between = await report({ from: at('21:10:00'), to: at('21:20:00') });
    assert.equal(between.run, null);
  });

  it('getRunReport refuses a run that is not there, a run with instants, and a time that is none', async () => {
    await app.refused('not_found', 'getRunReport', { livestreamId, run: 'three' });
    await app.refused('not_found', 'getRunReport', { livestreamId: 999 });
    for (const wrong of [
      { run: 'one', to: at('20:20:00') },
      { from: at('20:20:00'), to: at('20:10:00') },
      { from: '2025-10-01T00:00:00Z', to: at('20:10:00') },
    ])
      await app.refused('invalid_input', 'getRunReport', { livestreamId, ...wrong });
  });

  it('getRunReport says who called what by which API, on the broadcast, its source and its Destinations alone', async () => {
    app.clock.advance(60_000);
    await app.data('startLivestream', { livestreamId }, { user: 'operator' });
    await app.data('addPublishing', { name: 'Other', type: 'HLS / TS' });
    await app.data('updatePublishing', { publishingId, description: 'mended' });
    await app.store.tx((tx) => {
      addEvent(tx, new Date(app.clock.now()).toISOString(), livestreamId, {
        kind: 'destination_up',
        severity: 'info',
        message: 'up',
        data: { publishingId, path: 'primary' },
      });
    });
    app.clock.advance(1000);
    const { orders, destinations } = await app.data('getRunReport', { livestreamId }, { user: 'operator' });
    const calls = (orders as Record<string, unknown>[]).map(({ user, via, operation }) => [user, via, operation]);
    assert.deepEqual(calls, [
      ['operator', 'rest', 'startLivestream'],
      ['admin', 'rest', 'updatePublishing'],
    ]);
    assert.deepEqual((destinations as object[]).length, 1);
  });

  it('getRunReport has curves of the Device that the run was on, as many values as are wanted', async () => {
    const { curves } = await app.data('getRunReport', { livestreamId, points: 20 });
    const { step_seconds, values } = curves as { step_seconds: number; values: Record<string, number[]> };
    assert.deepEqual([step_seconds, values['fps']?.at(-1)], [1, values['fps']!.length - 1]);
    const { text } = await app.data('getRunReport', { livestreamId, format: 'html' });
    assert.match(String(text), /<figure><svg [^>]+><path [^>]+d="M0\.0 /u);
    app.device.goOffline();
    assert.equal((await app.data('getRunReport', { livestreamId, points: 20 }))['curves'], null);
    app.device.goOnline();
  });

  it('a page of a report has pictures of what viewers saw, and getLivestreamPreview the one that was kept last before an instant', async () => {
    app.clock.advance(300_000);
    const to = new Date(app.clock.now()).toISOString();
    const { text } = await app.data('getRunReport', { livestreamId, format: 'html' });
    const picture = Buffer.from(`kept ${livestreamId} 0`).toString('base64');
    const shown = `<img src="data:image/jpeg;base64,${picture}" alt="What viewers saw at `;
    assert.ok(String(text).includes(shown), String(text));
    assert.match(String(text), /<figcaption>[\d:]+, at an event<\/figcaption>/u);
    const { body, file } = await app.call('getLivestreamPreview', { livestreamId, at: to });
    assert.deepEqual((file as MadeFile).content, Buffer.from(`kept ${livestreamId} 9`));
    const second = 1000 * Math.floor(Date.parse(to) / 1000);
    const { taken_at } = (body as { data: { taken_at: string } }).data;
    assert.equal(taken_at, new Date(second + 1000 - 60_000).toISOString());
    app.device.goOffline();
    await app.refused('unavailable', 'getLivestreamPreview', { livestreamId, at: to });
    assert.doesNotMatch(String((await app.data('getRunReport', { livestreamId, format: 'html' }))['text']), /<img/u);
    app.device.goOnline();
    await app.refused('not_found', 'getLivestreamPreview', { livestreamId, at: '2020-01-01T00:00:00Z' });
  });

  it('getRunReport has how many watched meanwhile, and the verdict the most of them', async () => {
    const sums = { sessions: 0, starts: 0, start_ms: 0, stalls: 0, stalled_ms: 0, watched_ms: 0 };
    const of = { livestreamId, runId: 'one', sessions: 12, renditions: [], players: [], sums };
    await app.store.tx((tx) => {
      for (const [time, peak] of [
        ['20:14:00', 12],
        ['20:15:00', 11],
        ['20:17:00', 9],
      ] as const)
        tx.insert('audienceMinutes', Object.assign({ at: at(time), peak, seconds: 600 }, of));
    });
    const { missed, verdict } = await report({ run: 'one' });
    assert.deepEqual([missed.length, missed[0].viewers], [1, 11]);
    assert.match(verdict, / At most 12 watched at a time, at 20:14:00\.$/u);
    const { text } = await report({ run: 'one', format: 'markdown' });
    assert.match(text, /\| all \| 11 \| fallback \|/u);
  });

  it('getRunReport cuts its lists, and says how the rest is had', async () => {
    const { timeline, more } = await report({ run: 'one', limit: 2 });
    assert.equal(timeline.length, 2);
    assert.match(
      more[0],
      /^timeline: the first 2 of 5\. Go on with getLivestreamEvents, livestreamId 1, from 2025-12-31T20:00:05/u,
    );
  });

  it('a report is a page to print and a text, and words of others are no markup of either', async () => {
    const rest = await openRestApi(app);
    const read = (query: string): Promise<Response> =>
      rest.send('GET', `/livestreams/${livestreamId}/report?run=one&${query}`);
    const page = await read('format=html');
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/u);
    const html = await page.text();
    assert.ok(html.includes('<p class="verdict">&#34;Show&#34; was on air') && !html.includes('<script'), html);
    const text = await (await read('format=markdown')).text();
    assert.match(text, /^# Show, 2025-12-31 20:00:00 to 2025-12-31 21:00:00 \(UTC\)\n\n"Show" was on air/u);
    assert.ok(text.includes('\\<script\\>alert(1)\\</script\\>\\|\\`x\\`'), text);
    assert.match((await read('')).headers.get('content-type') ?? '', /^application\/json/u);
  });
});

describe('a report for an assistant', () => {
  it('a report of hundreds of events is within what an answer may cost, and keeps its verdict', async () => {
    const api = await startMcpApi();
    try {
      const livestreamId = await seedBroadcast(api.store);
      const many = Array.from({ length: 400 }, (_, index): Happened => {
        const time = `20:${String(20 + Math.floor(index / 20)).padStart(2, '0')}:${String((index % 20) * 3).padStart(2, '0')}`;
        return [
          time,
          index % 2 === 0 ? 'source_lost' : 'source_restored',
          {},
          'Channel "Camera" gives no more pictures; viewers see the slate.',
        ];
      });
      const yesterday = new Date(api.clock.now() - 86_400_000).toISOString().slice(0, 10);
      await tell(api.store, livestreamId, [...RUN.slice(0, 4), ...many, RUN[4]!], yesterday);
      const client = await api.client('operator');
      for (const format of ['json', 'markdown']) {
        const args = { operationId: 'getRunReport', arguments: { livestreamId, format } };
        const answer = (await client.callTool({ name: 'call_tool', arguments: args })) as any;
        const { data } = answer.structuredContent;
        assert.ok(JSON.stringify(answer.structuredContent).length <= 6000);
        assert.match(data.verdict, /was on air from .*viewers had the fallback/u);
        assert.ok(format === 'json' ? data.missed.length > 0 : data.text.includes('## What viewers missed'));
      }
    } finally {
      await api.close();
    }
  });
});
