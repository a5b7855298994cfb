/** Starts that cannot succeed, and what the command line says of a start while it waits. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { itLong, someOf } from '../helpers/counts.ts';
import { SMALL_VIDEO, uploadClip } from '../helpers/broadcast.ts';
import { makeClip, PROGRAM, startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { onTerminal } from '../helpers/terminal.ts';

/** Answers with the status that its path begins with; /busy with 500 to the first three, and then with media. */
function webServer(media: string): { server: Server; requestsTo(first: string): number } {
  const counts = new Map<string, number>();
  const requestsTo = (first: string): number => counts.get(first) ?? 0;
  const server = createServer((request, response) => {
    request.resume();
    const [, first = ''] = request.url?.split('/') ?? [];
    counts.set(first, requestsTo(first) + 1);
    if (first === 'garbage') response.writeHead(200, { 'content-type': 'video/mp2t' }).end('garbage '.repeat(10_000));
    else if (first === 'busy' && requestsTo(first) > 3)
      response.writeHead(200, { 'content-type': 'video/mp2t' }).end(readFileSync(media));
    else response.writeHead(first === 'busy' ? 500 : Number(first)).end('no');
  });
  return { server, requestsTo };
}

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

describe('a start that cannot succeed', () => {
  let service: Service;
  let web: ReturnType<typeof webServer>;
  let base = '';
  let encodingId = 0;
  let publishingId = 0;
  let clipId = 0;

  before(async () => {
    service = await startService();
    web = webServer(makeClip(join(service.scratch, 'busy.ts')));
    await new Promise<void>((resolve) => web.server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(web.server.address() as AddressInfo).port}`;
    encodingId = await service.create('/encodings', { name: 'small', settings_video: SMALL_VIDEO });
    publishingId = await service.create('/publishings', {
      name: 'web',
      type: 'HLS / TS',
      settings: { segment_duration: 2 },
    });
    const filename = await uploadClip(service);
    clipId = await service.create('/channels', { name: 'Clip', type: 'File', settings: { filename } });
  });
  after(async () => {
    await service.dispose();
    web.server.closeAllConnections();
    web.server.close();
  });

  const environment = (): NodeJS.ProcessEnv => ({ ...service.env, ONAIR_URL: service.url, ONAIR_TOKEN: TOKEN });

  function onair(...words: string[]): Promise<Ended> {
    const child = spawn(process.execPath, [PROGRAM, ...words], {
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
  }

  const streamOf = (name: string, channelId: number, to = publishingId): Promise<number> =>
    service.create('/livestreams', { name, channelId, encodingId, publishingId: to });
  const webChannel = (name: string, path: string): Promise<number> =>
    service.create('/channels', { name, type: 'Stream', settings: { url: `${base}${path}` } });

  interface EventRow {
    kind: string;
    severity: string;
    message: string;
  }
  async function eventsOf(livestreamId: number): Promise<EventRow[]> {
    return (await service.rest('GET', `/livestreams/${livestreamId}/events?pageSize=500&sort=id`)).body
      .rows as EventRow[];
  }

  it('a start whose push every origin refuses ends with the refusal, as HLS, CMAF and DASH, with 403 and 404', async () => {
    const pushes = [
      ['HLS / TS', 403],
      ['CMAF', 404],
      ['DASH', 403],
    ] as const;
    const starts = someOf(pushes, 1).map(async ([type, status]) => {
      const settings = { url: `${base}/${status}/out/${type.slice(0, 3)}`, segment_duration: 2 };
      const origin = await service.create('/publishings', { name: `Push ${type}`, type, settings });
      await streamOf(`Pushed as ${type}`, clipId, origin);
      const { code, stderr } = await onair('call', 'start_livestream', '--livestream', `Pushed as ${type}`);
      assert.equal(code, 5);
      const refusal = new RegExp(`upstream: No Destination takes the stream\\. Push ${type}: .* with ${status} `, 'u');
      assert.match(stderr, refusal);
    });
    await Promise.all(starts);
  });

  itLong('a start that one origin refuses does not end while another Destination takes it, or still may', async () => {
    const refusing = await service.create('/publishings', {
      name: 'Refusing',
      type: 'HLS / TS',
      settings: { url: `${base}/403/both/`, segment_duration: 2 },
    });
    const silent = await service.create('/publishings', {
      name: 'Nobody',
      type: 'HLS / TS',
      settings: { url: 'http://127.0.0.1:9/both/', segment_duration: 2 },
    });
    const groupOf = (name: string, elements: number[]): Promise<number> =>
      service.create('/publishings/groups', { name, elements });
    const bind = async (name: string, publishingGroupId: number): Promise<number> =>
      service.create('/livestreams', { name, channelId: clipId, encodingId, publishingGroupId });
    await bind('Both', await groupOf('both', [refusing, publishingId]));
    const waiting = await bind('Hoping', await groupOf('hoping', [refusing, silent]));
    const [both] = await Promise.all([
      onair('call', 'start_livestream', '--livestream', 'Both', '--quiet'),
      service.rest('POST', `/livestreams/${waiting}/start`, {}),
    ]);
    assert.equal(both.code, 0, both.stderr);
    assert.equal((JSON.parse(both.stdout) as { on_air: boolean }).on_air, true);
    const kinds = async (): Promise<string[]> =>
      (await eventsOf(waiting)).filter(({ message }) => message.includes('"Refusing"')).map(({ kind }) => kind);
    await until('three refusals of the one', async () => (await kinds()).length >= 3);
    assert.equal((await service.rest('GET', `/livestreams/${waiting}`)).body.data.status, 1, 'the other one may come');
    await service.rest('POST', `/livestreams/${waiting}/stop`, {});
    await service.rest('POST', '/workflows/stop_livestream', { livestream: 'Both' });
  });

  it('a start says in its progress what is in the way: nobody there, an unknown name, what is no media', async () => {
    const cases = [
      [
        'Nobody there',
        'http://127.0.0.1:9/live.m3u8',
        'its address refuses the connection (Connection refused); nothing listens there',
      ],
      ['No such name', 'http://nohost.invalid/x.m3u8', 'its host is not known in the name service'],
      ['Garbage', `${base}/garbage/x.ts`, 'what it sends cannot be read as media'],
    ] as const;
    const starts = someOf(cases, 1).map(async ([name, url, why]) => {
      await streamOf(
        name,
        await service.create('/channels', { name: `Feed ${name}`, type: 'Stream', settings: { url } }),
      );
      const words = ['call', 'start_livestream', '--livestream', name, '--wait_seconds', '8'];
      const { code, stdout, stderr } = await onair(...words);
      assert.equal(code, 0, stderr);
      assert.equal((JSON.parse(stdout) as { status: number }).status, 1);
      const report = stderr.split('\n').filter((line) => line.startsWith(`onair: ${name}`));
      assert.deepEqual(report, [
        `onair: "${name}" is starting.`,
        `onair: "${name}" is starting. Channel Feed ${name} gives nothing yet: ${why}.`,
      ]);
      await service.rest('POST', '/workflows/stop_livestream', { livestream: name });
    });
    await Promise.all(starts);
  });

  it('onair call prints what prevents a start on stderr, each obstacle once, and the answer alone on stdout', async () => {
    const id = await streamOf('Show', await webChannel('Busy', '/busy/live.ts'));
    const { code, stdout, stderr } = await onair('call', 'start_livestream', '--livestream', 'Show');
    assert.equal(code, 0, stderr);
    const answer = JSON.parse(stdout) as { on_air: boolean; livestreamId: number };
    assert.deepEqual([answer.on_air, answer.livestreamId], [true, id]);
    const [first, ...others] = stderr.trimEnd().split('\n');
    assert.equal(first, 'onair: "Show" is starting.');
    // Once the source has come, nothing is in the way any more, but that it may stand still on a machine that runs much else.
    const isBeside = (line: string): boolean => /^onair: Still running|gives no more pictures;/u.test(line);
    assert.deepEqual(
      others.filter((line) => line !== first && !isBeside(line)),
      ['onair: "Show" is starting. Channel Busy gives nothing yet: its server answers with an error (500).'],
    );
    assert.ok(web.requestsTo('busy') > 3);
    const lost = (await eventsOf(id)).filter(({ message }) => message.includes('gives nothing yet'));
    assert.equal(lost.length, 1, 'not for every attempt');
  });

  itLong(
    'a failed switch on air is answered with our reason in detail, and ffmpeg’s words under upstream alone',
    async () => {
      const { rows } = (await service.rest('GET', '/livestreams?search=Show')).body as { rows: { id: number }[] };
      const refusing = await webChannel('Private', '/403/live.ts');
      const before = web.requestsTo('403');
      const path = `/livestreams/${rows[0]!.id}/runtimeOptions/sourceSwitch`;
      const { status, headers, body } = await service.rest('POST', path, { channelId: refusing });
      assert.deepEqual([status, body.code, body.status], [502, 'upstream_failed', 502]);
      assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/u);
      assert.equal(
        body.detail,
        'Channel "Private" gives no pictures: its server refuses the request (403 Forbidden). Channel "Busy" stays.',
      );
      assert.match(body.upstream, /403 Forbidden/u);
      assert.notEqual(body.upstream, body.detail);
      assert.equal(web.requestsTo('403') - before, 2, 'who refuses twice is not asked until the time is up');
    },
  );

  it('the progress of a start is shown on one line of a terminal, which is cleared before the answer', async () => {
    const file = join(service.scratch, 'answer.json');
    const words = [process.execPath, PROGRAM, 'call', 'stop_livestream', '--livestream', 'Show'];
    const terminal = onTerminal(words, environment(), file);
    const screen = await terminal.ended;
    assert.equal((JSON.parse(readFileSync(file, 'utf8')) as { status: number }).status, 0, 'stdout is the answer');
    assert.match(screen, /\rShow is stopping\. \(0 s\)\u{1b}\[K/u);
    assert.ok(screen.endsWith('\r\u{1b}[K'), JSON.stringify(screen));
    assert.ok(!screen.includes('\n'));
  });
});
