/** A script learns from the exit code what has happened; stdout stays empty where the command has failed. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { bytesOf, requestAs } from '../../bin/client/request.ts';
import { exitCodeOf, NoAnswer } from '../../bin/exit-codes.ts';
import { sendFile } from '../../bin/upload.ts';
import { AppError, ERROR_CODES, type ErrorCode } from '../../domain/base/errors.ts';
import { onair, type Ended } from '../helpers/cli.ts';
import { someOf } from '../helpers/counts.ts';
import { PROGRAM, type Service } from '../helpers/service.ts';
import { letPass } from '../helpers/pass.ts';
import { sharedService } from '../helpers/shared-service.ts';

it('each error code has the exit code of its status, but for an operation that nobody knows, and a start without capacity', () => {
  const byStatus: Record<number, number> = { 400: 2, 422: 2, 404: 3, 401: 4, 403: 4, 409: 5, 412: 5 };
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
    const own = { unknown_operation: 2, no_capacity: 5 }[code as string];
    assert.equal(exitCodeOf(new AppError(code, 'x')), own ?? byStatus[ERROR_CODES[code].status] ?? 1, code);
  }
  assert.equal(exitCodeOf(new NoAnswer('x')), 6);
  assert.equal(exitCodeOf(new AppError('upstream_failed', 'x', { facts: { livestream_status: 3 } })), 5);
  assert.equal(exitCodeOf(new Error('x')), 1);
});

it('a port that accepts and is silent, and an answer that stops in the middle, are exit 6; a server that is busy is waited for', async (t) => {
  const hang = (_request: IncomingMessage, response: ServerResponse): void => void response.writeHead(200).write('{');
  const busy = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.url === '/readyz') looks += 1;
    // It is done once the caller has looked twice whether it is there.
    if (request.url !== '/readyz') slow = response;
    else if (looks > 1) slow?.end('{"data":{}}');
    if (request.url === '/readyz') response.writeHead(503).end();
  };
  let looks = 0;
  let slow: ServerResponse | undefined;
  const [silent, halfway, working] = await Promise.all([() => undefined, hang, busy].map((answer) => serve(t, answer)));
  const at = (url = '') => ({ url, token: 'x' });
  const me = (url = ''): URL => new URL(`${url}/svcapiv2/security/me`);
  const scratch = mkdtempSync(join(tmpdir(), 'onair-silent-'));
  t.after(() => rmSync(scratch, { recursive: true }));
  const large = join(scratch, 'clip.mp4');
  writeFileSync(large, 'x'.repeat(8_000_000));
  const dead = [
    requestAs(at(silent), me(silent), { method: 'GET' }),
    requestAs(at(halfway), me(halfway), { method: 'GET' }).then((response) => bytesOf(response, at(halfway))),
    sendFile(at(silent), '/assets', {}, large),
  ];
  const outcomes = await Promise.all([
    ...dead.map((call) => call.then(() => 0, exitCodeOf)),
    requestAs(at(working), me(working), { method: 'GET' }).then(() => 0, exitCodeOf),
    ...[['status'], ['login', silent!], ['logs', 'Show', '-f']].map((words) => runAt(silent!, words, scratch)),
  ]);
  assert.deepEqual(outcomes, [6, 6, 6, 0, 6, 6, 6]);
});

async function serve(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function runAt(url: string, words: readonly string[], folder: string): Promise<number | null> {
  const env = { PATH: process.env['PATH'], ONAIR_URL: url, ONAIR_TOKEN: 'x', XDG_CONFIG_HOME: folder };
  const child = spawn(process.execPath, [PROGRAM, ...words], { env, stdio: ['pipe', 'ignore', 'ignore'] });
  const exit = once(child, 'exit');
  // What is typed comes late.
  await letPass(500);
  child.stdin.end('a-token-of-a-server-that-is-silent');
  return ((await exit) as [number | null])[0];
}

describe('the exit code', () => {
  let service: Service;
  before(async () => {
    service = await sharedService();
    const channelId = await service.create('/channels', {
      name: 'Camera',
      type: 'Stream',
      settings: { url: 'http://127.0.0.1:9/a.m3u8' },
    });
    const encodingId = await service.create('/encodings', { name: '720p', settings_video: { bitrate: 900 } });
    const publishingId = await service.create('/publishings', { name: 'Web', type: 'HLS / TS' });
    await service.create('/livestreams', { name: 'Show', channelId, encodingId, publishingId });
  });

  const CASES: [words: string[], code: number, env?: NodeJS.ProcessEnv][] = [
    [['status', 'Show'], 0],
    [['call', 'stop_livestream', '--livestream', 'Show'], 0],
    [[], 2],
    [['bogus'], 2],
    [['status', '--bogus'], 2],
    [['status', '-o', 'xml'], 2],
    [['call', 'bogus'], 2],
    [['call', 'addChannel', '--nmae', 'x'], 2],
    [['call', 'addChannel', '--name', 'x', '--type', 'SDI', '--settings.input', '1'], 2],
    [['call', 'getAllChannels', '--json', 'bogus'], 2],
    [['status', 'Nobody knows it'], 3],
    [['call', 'getChannelById', '--channelId', '99'], 3],
    [['status', '--context', 'https://nowhere.example'], 3],
    [['export', 'all.json', '--data', '/nowhere'], 3],
    [['status'], 4, { ONAIR_TOKEN: 'a-token-that-is-none-0123456789' }],
    [['call', 'deleteChannel', '--channelId', '1'], 5],
    [['call', 'addPublishing', '--name', 'Web', '--type', 'DASH'], 5],
    [['status'], 6, { ONAIR_URL: 'http://127.0.0.1:9', ONAIR_TOKEN: 'x' }],
    [['status'], 6, { ONAIR_URL: 'http://127.0.0.1:9' }],
  ];
  for (const [words, code, extra = {}] of someOf(CASES, 5))
    it(`of onair ${words.join(' ')} is ${code}${extra['ONAIR_URL'] ? ' without a server' : ''}`, async () => {
      const { code: status, stdout, stderr } = await onair(words, { ...service.env, ...extra });
      assert.equal(status, code, stderr);
      if (code !== 0) assert.equal(stdout, '');
      assert.equal(stderr === '', code === 0, stderr);
    });

  it('is that of the process: 0 for onair status Show, 5 with an empty stdout for onair call deleteChannel of one in use', () => {
    for (const [words, code] of [
      [['status', 'Show'], 0],
      [['call', 'deleteChannel', '--channelId', '1'], 5],
    ] as const) {
      const options = { env: service.env, encoding: 'utf8' } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], options);
      assert.equal(status, code, stderr);
      assert.equal(stdout === '', code !== 0, stdout);
    }
  });

  it('of a full disk at stdout is 1, with a line that says so and no stack', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'status', 'Show'], {
      env: service.env,
      encoding: 'utf8',
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    assert.deepEqual([status, stderr.split('\n').length], [1, 2], stderr);
    assert.match(stderr, /^onair: stdout takes no more: ENOSPC/u);
  });

  it('of a token limited to one operation is 4 with the name of what it would need, and 0 for that operation', async () => {
    const run = (words: string[], extra: NodeJS.ProcessEnv = {}): Promise<Ended> =>
      onair(words, { ...service.env, ...extra });
    const made = await run(['token', 'create', 'display', '--operations', 'getAllLivestreams', '-o', 'json']);
    const { token } = JSON.parse(made.stdout) as { token: string };
    const limited = { ONAIR_TOKEN: token };
    const list = await run(['ls', 'livestreams'], limited);
    assert.deepEqual([list.code, list.stderr], [0, '']);
    assert.match(list.stdout, /Show +off +Camera +Web/u);
    for (const words of [
      ['start', 'Show'],
      ['new', '--source', 'rtmp-push', '--to', 'hls', '--no-start'],
      ['ls', 'channels'],
    ]) {
      const { code, stdout, stderr } = await run(words, limited);
      assert.deepEqual([code, stdout], [4, ''], stderr);
      assert.match(
        stderr,
        /is outside the operations of this API token\..* A token whose operations include \w+ would allow it\./u,
      );
      assert.doesNotMatch(stderr, new RegExp(token, 'u'));
    }
  });
});
