/** Reports that players send by themselves (CMCD in event mode), on each of the ways that media is answered. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { Agent, createServer as createHttpServer, request as httpRequest } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { writeAccess } from '../../../device/delivery/access.ts';
import { MAX_REPORT_BYTES } from '../../../device/delivery/audience/cmcd-report.ts';
import { Sightings, type Sighting } from '../../../device/delivery/audience/sightings.ts';
import { http2Connections } from '../../../device/delivery/http2-connections.ts';
import { HEAD_MS, serveMedia, type MediaDeps } from '../../../device/delivery/media-connection.ts';
import { mediaOverHttp } from '../../../device/delivery/media-over-http.ts';
import { Viewers } from '../../../device/delivery/viewer-limits.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { playbackToken } from '../../../domain/shapes/destinations/playback.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { until } from '../../helpers/until.ts';

const WAYS = ['a bare connection', 'an HTTP server', 'HTTP/2'] as const;
const KEY = Buffer.alloc(32, 7).toString('base64url');
const OPEN = '/live/1/1/cmcd';
const PRIVATE = '/live/1/2/cmcd';
const EVENTS =
  'sid="one",e=ps,sta=s,ts=1000\nsid="one",e=ps,sta=p,ts=1900,unknown=1\n\nsid="two",e=t,ts=5\r\nbl=400\n%\n';

interface Port {
  seen: Sighting[];
  clock: FakeClock;
  port: number;
  /** All on one connection, one after the other. */
  ask(method: string, path: string, content?: string): Promise<{ status: number; allowed: string | undefined }>;
}

/** `begun` is what a bare connection has sent already. */
async function open(t: TestContext, way: (typeof WAYS)[number], begun = ''): Promise<Port> {
  const deviceDir = testFolder(t, 'reports');
  for (const id of [1, 2]) mkdirSync(liveDir(deviceDir, 1, id), { recursive: true });
  writeAccess(liveDir(deviceDir, 1, 2), KEY);
  const seen: Sighting[] = [];
  const clock = new FakeClock();
  const deps: MediaDeps = {
    deviceDir,
    clock,
    viewers: new Viewers({ perAddress: 9, all: 9 }),
    stallMs: 60_000,
    addressOf: ({ remoteAddress }) => remoteAddress ?? '',
    sightings: new Sightings((batch) => seen.push(...batch)),
  };
  const take = http2Connections(deps);
  const servers: Record<(typeof WAYS)[number], () => Server> = {
    'a bare connection': () =>
      createServer({ allowHalfOpen: true }, (socket) => serveMedia(socket, Buffer.from(begun), deps)),
    'an HTTP server': () => createHttpServer((incoming, response) => void mediaOverHttp(incoming, response, deps)),
    'HTTP/2': () => createServer((socket) => take(socket, Buffer.alloc(0))),
  };
  const server = servers[way]();
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => void sockets.add(socket));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  cleanUp(t, () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  const ask = way === 'HTTP/2' ? overHttp2(t, port) : overHttp(t, port);
  return { seen, clock, port, ask };
}

function overHttp(t: TestContext, port: number): Port['ask'] {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  cleanUp(t, () => agent.destroy());
  return (method, path, content = '') =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/cmcd', 'content-length': Buffer.byteLength(content) };
      httpRequest({ agent, port, method, path, headers }, (response) => {
        response.resume().once('end', () =>
          resolve({
            status: response.statusCode!,
            allowed: response.headers['access-control-allow-methods'],
          }),
        );
      })
        .on('error', reject)
        .end(content);
    });
}

function overHttp2(t: TestContext, port: number): Port['ask'] {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  cleanUp(t, () => session.destroy());
  return async (method, path, content = '') => {
    const stream = session.request({ ':method': method, ':path': path }, { endStream: false });
    // The rest of a report that is too long is refused.
    stream.on('error', () => undefined).end(content);
    const headers = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
    stream.resume();
    return {
      status: Number(headers[':status']),
      allowed: headers['access-control-allow-methods'] as string | undefined,
    };
  };
}

describe('a report of a player', { concurrency: 3 }, () => {
  for (const way of WAYS)
    test(`a report of a player is taken over ${way} from whoever may watch, and counts for the session that each line names`, async (t) => {
      const { seen, clock, ask } = await open(t, way);
      assert.deepEqual(await ask('OPTIONS', OPEN), { status: 204, allowed: 'POST, OPTIONS' });
      assert.equal((await ask('POST', OPEN, EVENTS)).status, 204);
      const token = playbackToken(KEY, '/live/1/2/', clock.now() + 60_000);
      const refused = { [PRIVATE]: 403, [`${PRIVATE}?token=1.x`]: 403, '/live/1/3/cmcd': 404 };
      for (const [path, status] of Object.entries(refused))
        assert.equal((await ask('POST', path, EVENTS)).status, status, path);
      assert.equal((await ask('POST', `${PRIVATE}?token=${token}`, 'sid="three",e=ps,sta=p,ts=1')).status, 204);
      assert.equal((await ask('GET', OPEN)).status, 404);
      await until('all are seen', () => seen.length >= 3);
      assert.deepEqual(
        seen.map(({ by, key, publishingId, folders, hasAsked, cmcd }) => [
          `${by} ${key} ${publishingId}`,
          folders.length,
          hasAsked,
          cmcd.map(({ e, sta, ts }) => [e, sta, ts]),
        ]),
        [
          [
            'session one 1',
            0,
            false,
            [
              ['ps', 's', 1000],
              ['ps', 'p', 1900],
            ],
          ],
          ['session two 1', 0, false, [['t', undefined, 5]]],
          ['session three 2', 0, false, [['ps', 'p', 1]]],
        ],
      );
    });

  for (const way of WAYS)
    test(`a report over ${way} has a bounded length, and a connection a bounded number of them a second`, async (t) => {
      const { clock, ask } = await open(t, way);
      const line = 'sid="one",e=t,ts=1\n';
      const whole = line.repeat(Math.floor(MAX_REPORT_BYTES / line.length));
      assert.equal((await ask('POST', OPEN, whole)).status, 204);
      assert.equal((await ask('POST', OPEN, whole + line)).status, 413);
      const statuses = [];
      for (let i = 0; i < 101; i += 1) statuses.push((await ask('POST', OPEN, line)).status);
      assert.equal(statuses[90], 204);
      assert.equal(statuses.at(-1), 429);
      clock.advance(1000);
      assert.equal((await ask('POST', OPEN, line)).status, 204);
    });

  test('a report that comes in pieces is read whole, what follows it is a request, and one that never ends is cut', async (t) => {
    const line = 'sid="one",e=ps,sta=p,ts=1';
    const head = (length: number): string => `POST ${OPEN} HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`;
    const { port, seen, clock } = await open(t, 'a bare connection', head(line.length) + line.slice(0, 9));
    const socket = connect({ port, host: '127.0.0.1' });
    cleanUp(t, () => socket.destroy());
    let answers = '';
    let isClosed = false;
    socket.on('data', (chunk: Buffer) => (answers += chunk.toString())).once('close', () => (isClosed = true));
    socket.write(`${line.slice(9)}GET /live/1/1/none.ts HTTP/1.1\r\nhost: a\r\n\r\n${head(9)}sid`);
    await until('both are answered, and it is cut', () => {
      if (answers.includes(' 404 ')) clock.advance(HEAD_MS);
      return isClosed;
    });
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/gu)].map(([, status]) => status);
    assert.deepEqual(statuses, ['204', '404']);
    await until('it is seen', () => seen.length === 1);
  });
});
