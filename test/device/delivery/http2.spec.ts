/** HTTP/2 on the media port: chosen by TLS where there is a certificate, and bounded for who does not read. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
} from 'node:http2';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { buffer, text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { systemClock } from '../../../domain/time/clock.ts';
import { openMediaServer } from '../../../device/agent/media-server.ts';
import { http2Connections } from '../../../device/delivery/http2-connections.ts';
import { HEAD_MS, STALL_MS } from '../../../device/delivery/media-connection.ts';
import { TlsPair } from '../../../device/delivery/tls-pair.ts';
import { Viewers } from '../../../device/delivery/viewer-limits.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { selfSigned } from '../../helpers/servers/certificate.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { until } from '../../helpers/until.ts';

it('a media port with a certificate speaks HTTP/2 and HTTP/1.1, as the client chooses', async (t) => {
  const deviceDir = testFolder(t, 'http2');
  const live = liveDir(deviceDir, 1, 1);
  mkdirSync(live, { recursive: true });
  const segment = Buffer.alloc(300_000, 'a');
  writeFileSync(join(live, 'segment.ts'), segment);
  const files = selfSigned(deviceDir);
  const tls = TlsPair.open({ files, clock: systemClock, log: silentLog });
  const server = await openMediaServer({ deviceDir, host: '127.0.0.1', port: 0, formerPort: 0, tls, log: silentLog });
  cleanUp(t, async () => {
    tls.close();
    await server.close();
  });
  const session = connect(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
  const get = (path: string): Promise<string> => text(session.request({ ':path': path }));
  const answers = await Promise.all([get('/live/1/1/segment.ts'), get('/live/1/1/none.ts')]);
  assert.equal(session.alpnProtocol, 'h2');
  session.close();
  assert.deepEqual(
    answers.map(({ length }) => length),
    [segment.length, 'Not found.'.length],
  );

  const socket = connectTls({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.end('GET /live/1/1/none.ts HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  assert.match(await text(socket), /^HTTP\/1\.1 404 /u);
});

const WINDOW_0 = { settings: { initialWindowSize: 0 } };

interface Http2Port {
  clock: FakeClock;
  viewers: Viewers;
  sockets: Set<Socket>;
  files(): number;
  /** `windowed`: nothing of an answer is taken. */
  session(windowed?: boolean): ClientHttp2Session;
}

/** HTTP/2 that the client knows beforehand. The clock is moved by hand. */
async function http2Port(t: TestContext, limits = { perAddress: 9, all: 9 }): Promise<Http2Port> {
  const deviceDir = testFolder(t, 'http2');
  const live = liveDir(deviceDir, 1, 1);
  mkdirSync(live, { recursive: true });
  writeFileSync(join(live, 'segment.ts'), Buffer.alloc(4 << 20, 'a'));
  const clock = new FakeClock();
  const viewers = new Viewers(limits);
  const addressOf = ({ remoteAddress }: Socket): string => remoteAddress ?? '';
  const take = http2Connections({ deviceDir, clock, viewers, stallMs: STALL_MS, addressOf });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    take(socket, Buffer.alloc(0));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  cleanUp(t, () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    clock,
    viewers,
    sockets,
    files: () => openFiles(live),
    session(windowed = false) {
      const { port } = server.address() as AddressInfo;
      const session = connect(`http://127.0.0.1:${port}`, windowed ? WINDOW_0 : {});
      session.on('error', () => undefined);
      cleanUp(t, () => session.destroy());
      return session;
    },
  };
}

function openFiles(folder: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false;
    }
  }).length;
}

function ask(session: ClientHttp2Session, path = '/live/1/1/segment.ts'): ClientHttp2Stream {
  return session.request({ ':path': path }).on('error', () => undefined);
}

const headersOf = async (stream: ClientHttp2Stream): Promise<IncomingHttpHeaders> =>
  ((await once(stream, 'response')) as [IncomingHttpHeaders])[0];
const statusOf = async (stream: ClientHttp2Stream): Promise<number> =>
  (await headersOf(stream))[':status'] as unknown as number;

it('a connection of HTTP/2 of which nothing is read ends with its files, and one request that is left alone does by itself', async (t) => {
  const { clock, sockets, files, session } = await http2Port(t);
  const greedy = session(true);
  for (let count = 0; count < 4; count += 1) ask(greedy);
  await until('its files', () => files() === 4);
  await until('its end', () => {
    clock.advance(STALL_MS);
    return files() === 0 && sockets.size === 0;
  });

  const player = session();
  const left = ask(player).pause();
  await statusOf(left);
  await until('it waits', () => files() === 1);
  // The other one takes the rest of the window of the connection, and reads it.
  player.setLocalWindowSize(8 << 20);
  assert.equal((await buffer(ask(player))).length, 4 << 20);
  await until('its end', () => {
    clock.advance(STALL_MS);
    return left.closed;
  });
  assert.equal(left.rstCode, constants.NGHTTP2_CANCEL);
  assert.equal(await statusOf(ask(player)), 200, 'the connection goes on');
});

it('requests of HTTP/2 count as viewers: those that read nothing yield to the next one of their address', async (t) => {
  const { viewers, files, session } = await http2Port(t, { perAddress: 4, all: 9 });
  const [greedy, other] = [session(true), session(true)];
  const stalled = [greedy, other, greedy, other].map((one) => ask(one));
  await until('four', () => viewers.count === 4 && files() === 4);
  assert.equal(await statusOf(ask(greedy).resume()), 503, 'a third one takes nobody’s place');
  const hasty = session();
  const takenBack = Array.from({ length: 50 }, () => ask(hasty));
  for (const stream of takenBack) stream.close(constants.NGHTTP2_CANCEL);
  await until('what was taken back is over', () => takenBack.every(({ closed }) => closed));
  const refused = session();
  assert.equal(await statusOf(ask(refused).resume()), 503);
  await once(refused, 'close');
  const player = await until('a place', async () => {
    const next = session();
    const segment = ask(next);
    const status = await statusOf(segment);
    return status === 200 && segment;
  });
  assert.equal((await buffer(player)).length, 4 << 20);
  await until('one of the four was cancelled', () => stalled.filter(({ closed }) => closed).length === 1);
  assert.equal(stalled.find(({ closed }) => closed)?.rstCode, constants.NGHTTP2_CANCEL);
});

it('a request of HTTP/2 leaves its place when it is answered, also where its client never ends it', async (t) => {
  const { viewers, session } = await http2Port(t, { perAddress: 99, all: 99 });
  const client = session();
  const path = '/live/1/1/segment.ts';
  const etag = (await headersOf(ask(client, path).resume()))['etag'];
  const ways: Record<string, string>[] = ['GET', 'HEAD', 'POST', 'OPTIONS'].map((method) => ({ ':method': method }));
  const open = [...ways, { 'if-none-match': etag! }].map((given) =>
    client
      .request({ ':path': path, ...given }, { endStream: false })
      .on('error', () => undefined)
      .resume(),
  );
  const statuses = await Promise.all(open.map(statusOf));
  assert.deepEqual(statuses, [200, 200, 405, 204, 304]);
  await until('no viewer', () => viewers.count === 0);
});

it('a connection of HTTP/2 that asks for nothing ends, whatever else it sends', async (t) => {
  const { clock, sockets, session } = await http2Port(t);
  const idle = session();
  await once(idle, 'remoteSettings');
  await new Promise((answered) => idle.ping(answered));
  clock.advance(HEAD_MS);
  await until('its end', () => sockets.size === 0);
});
