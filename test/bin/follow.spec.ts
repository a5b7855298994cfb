import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { followEvents, type CallTool } from '../../bin/verbs/event-follow.ts';
import { watch } from '../../bin/output/watch.ts';
import { lines } from '../../bin/verbs/status.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { LivestreamStatusView } from '../../domain/shapes/broadcasts/livestream-status.ts';
import { onAir, startWorkflowApp, type WorkflowApp } from '../workflows/workflow-app.ts';
import { until } from '../helpers/until.ts';
import { letPass } from '../helpers/pass.ts';

/** Yesterday: what is older than events are kept is gone. */
const BEGIN_MS = Date.now() - 86_400_000;
const at = (seconds: number): string => new Date(BEGIN_MS + seconds * 1000).toISOString();

describe('the event log, followed', () => {
  let app: WorkflowApp;
  let ask: CallTool;
  let refusal: AppError | undefined;
  beforeEach(async () => {
    app = await startWorkflowApp();
    refusal = undefined;
    ask = async (operation, args) => {
      if (refusal !== undefined) throw refusal;
      return app.run(operation, args, { via: 'rest' });
    };
  });
  afterEach(() => app.close());

  const add = (count: number, seconds: number, livestreamId = app.livestreamId): Promise<number[]> =>
    app.store.tx((tx) =>
      Array.from({ length: count }, (_, n) => {
        const facts = { kind: 'source_lost', severity: 'info', message: `event ${n}`, data: {} } as const;
        return tx.insert('events', { ...facts, at: at(seconds + n), livestreamId }).id;
      }),
    );

  interface Following {
    seen: number[];
    news: (string | undefined)[];
    end(): Promise<void>;
  }
  function follow(more: { from?: string; follow?: boolean; ask?: CallTool } = {}): Following {
    const stop = new AbortController();
    const seen: number[] = [];
    const news: (string | undefined)[] = [];
    const options = {
      livestreamId: app.livestreamId,
      follow: true,
      pollMs: 5,
      signal: stop.signal,
      onAway: (error: AppError | undefined) => void news.push(error?.code),
      ...more,
    };
    const done = (async () => {
      for await (const event of followEvents(more.ask ?? ask, options)) seen.push(event.id);
    })();
    done.catch(() => undefined);
    return { seen, news, end: () => (stop.abort(), done) };
  }

  it('the followed event log prints each event once and in order, however many arrive between and during two requests', async () => {
    const expected = await add(1200, 0);
    // Between any two pages something is added: pages shift under the reader.
    let extra = 40;
    const shifting: CallTool = async (operation, args) => {
      const answer = await ask(operation, args);
      if ((extra -= 1) >= 0) expected.push(...(await add(extra % 4 === 0 ? 130 : 3, 5000 + (40 - extra) * 200)));
      return answer;
    };
    const following = follow({ ask: shifting });
    await until('every event', () => extra < 0 && following.seen.length >= expected.length);
    await following.end();
    assert.deepEqual(following.seen, expected);
  });

  it('the followed event log prints a late event with an old time, also after --since, and none of another Live stream', async () => {
    const [, old] = await add(2, 0);
    const recent = await add(2, 100);
    const following = follow({ from: at(50) });
    await until('the events', () => following.seen.length === 2);
    await add(3, 200, 999);
    const late = await add(1, 10);
    const now = await add(1, 300);
    await until('the events', () => following.seen.length === 4);
    await following.end();
    assert.ok(!following.seen.includes(old!));
    assert.deepEqual(following.seen, [...recent, ...late, ...now]);
  });

  it('the followed event log waits for a server that restarts, says so once, and prints the events of that time', async () => {
    const before = await add(2, 0);
    const following = follow();
    await until('the events', () => following.seen.length === 2);
    refusal = new AppError('unavailable', 'No server answers.');
    await until('the news', () => following.news.length === 1);
    const meanwhile = await add(3, 10);
    await letPass(50);
    refusal = undefined;
    await until('the events', () => following.seen.length === 5);
    await following.end();
    assert.deepEqual(following.seen, [...before, ...meanwhile]);
    assert.deepEqual(following.news, ['unavailable', undefined]);
  });

  it('following the event log ends at an error that cannot pass; without -f it ends with the last event', async () => {
    const all = await add(3, 0);
    const once = follow({ follow: false });
    await until('the events', () => once.seen.length === 3);
    await once.end();
    assert.deepEqual(once.seen, all);
    const following = follow();
    await until('the events', () => following.seen.length === 3);
    refusal = new AppError('unauthenticated', 'revoked');
    await letPass(30);
    await assert.rejects(following.end(), (error: AppError) => error.code === 'unauthenticated');
  });

  it('status --watch in a pipe prints a line at first and one for each change, and none for a new rate', async () => {
    const written: string[] = [];
    const stop = new AbortController();
    const look = async (): Promise<LivestreamStatusView[]> =>
      ((await ask('getLivestreamsStatus', { pageSize: 100 })) as { rows: LivestreamStatusView[] }).rows;
    const watching = watch(
      look,
      5,
      stop.signal,
      lines((line) => void written.push(line)),
    );
    await until('a written line', () => written.length === 1);
    await onAir(app);
    await until('the written status', () =>
      /ON AIR {2}.*up {2}25\/25 {2}2500\/2500 {2}Web up/u.test(written.at(-1) ?? ''),
    );
    const count = written.length;
    const runId = await app.runId();
    app.device.tell(runId, { encodings: app.device.report(runId).encodings.map((one) => ({ ...one, fps: 24 })) });
    await letPass(60);
    assert.equal(written.length, count);
    const { publishings } = app.device.report(runId);
    const primary = { ...publishings[0]!.primary, state: 'retrying' as const, attempts: 2 };
    app.device.tell(runId, { publishings: [{ ...publishings[0]!, primary }] });
    await until('a written line', () => written.at(-1)?.includes('Web retrying (2)') === true);
    refusal = new AppError('unavailable', 'No server answers.');
    await letPass(30);
    refusal = undefined;
    stop.abort();
    await watching;
    assert.match(written[0] ?? '', /^[\d-]+ [\d:]+(?:Z|[+-][\d:]+) {2}\d+ {2}Show {2}off$/u);
  });
});
