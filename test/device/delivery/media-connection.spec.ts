/** The resources that one viewer can hold of a server: over real sockets, on both of the ways that media is answered. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { boundConnections } from '../../../device/delivery/http-connections.ts';
import { serveMedia, type Elsewhere, type MediaDeps } from '../../../device/delivery/media-connection.ts';
import { mediaOverHttp } from '../../../device/delivery/media-over-http.ts';
import { Viewers } from '../../../device/delivery/viewer-limits.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { systemClock } from '../../../domain/time/clock.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { letPass } from '../../helpers/pass.ts';
import { until } from '../../helpers/until.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const SEGMENT_BYTES = 24 << 20;
const GET = 'GET /live/1/1/segment.ts HTTP/1.1\r\nHost: x\r\n\r\n';
const PLAYLIST = 'GET /live/1/1/index.m3u8 HTTP/1.1\r\nHost: x\r\n\r\n';

interface Fixture {
  live: string;
  deps: MediaDeps;
  viewers: Viewers;
  /** Counts the open files of the delivery. */
  openFiles(): number;
  /** Counts the connections of the servers. */
  connections(): number;
  serve(elsewhere?: Elsewhere): Promise<number>;
  serveHttp(): Promise<number>;
  client(port: number, from?: string): Client;
}

class Client {
  readonly socket: Socket;
  text = '';
  bytes = 0;
  isClosed = false;

  constructor(port: number, localAddress: string) {
    this.socket = connect({ port, host: '127.0.0.1', localAddress, family: 4 });
    this.socket.on('error', () => undefined).once('close', () => (this.isClosed = true));
  }

  send(text: string): this {
    this.socket.write(text);
    return this;
  }

  read(): this {
    this.socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      if (this.text.length < 100_000) this.text += chunk.toString('latin1');
    });
    return this;
  }

  status(nth = 0): number {
    return Number([...this.text.matchAll(/HTTP\/1\.1 (\d{3})/gu)][nth]?.[1]);
  }
}

function setUp(t: TestContext, limits = { perAddress: 100, all: 200 }, stallMs = 60_000): Fixture {
  const deviceDir = testFolder(t, 'viewers');
  const live = liveDir(deviceDir, 1, 1);
  mkdirSync(live, { recursive: true });
  writeFileSync(join(live, 'segment.ts'), Buffer.alloc(SEGMENT_BYTES, 7));
  writeFileSync(join(live, 'index.m3u8'), '#EXTM3U\nsegment.ts\n');
  const viewers = new Viewers(limits);
  const addressOf: MediaDeps['addressOf'] = (socket, header) => header('x-forwarded-for') ?? socket.remoteAddress ?? '';
  const deps: MediaDeps = { deviceDir, clock: systemClock, viewers, stallMs, addressOf };
  const sockets = new Set<Socket>();
  const listen = async (server: Server): Promise<number> => {
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    cleanUp(t, () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return (server.address() as AddressInfo).port;
  };
  return {
    live,
    deps,
    viewers,
    connections: () => sockets.size,
    openFiles: () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(live);
        } catch {
          return false;
        }
      }).length,
    serve: (elsewhere) => listen(createServer((socket) => serveMedia(socket, Buffer.alloc(0), deps, elsewhere))),
    serveHttp: () => {
      const server = createHttpServer((incoming, response) => {
        if (incoming.url?.startsWith('/live/') === true) void mediaOverHttp(incoming, response, deps);
        else response.end(Buffer.alloc(incoming.url === '/large' ? SEGMENT_BYTES : 2, 'o'));
      });
      boundConnections(server, stallMs);
      return listen(server);
    },
    client(port, from = '127.0.0.1') {
      const client = new Client(port, from);
      cleanUp(t, () => client.socket.destroy());
      return client;
    },
  };
}

/** Long enough for a server to do what it must not do. */
const settle = (): Promise<void> => letPass(200);

// They wait more than they work.
describe('a connection that asks for media', { concurrency: 4 }, () => {
  for (const way of ['serve', 'serveHttp'] as const) {
    test(`${way} answers eight requests at once one after the other`, async (t) => {
      const { serve, serveHttp, client, openFiles } = setUp(t);
      const port = await (way === 'serve' ? serve() : serveHttp());
      const reader = client(port).send(GET.repeat(8)).read();
      let most = 0;
      await until('all eight', () => {
        most = Math.max(most, openFiles());
        return reader.bytes > 8 * SEGMENT_BYTES;
      });
      assert.ok(most <= 1, `${most} files at a time`);
      await until('closed files', () => openFiles() === 0);
      reader.send(PLAYLIST);
      await until('the next one', () => reader.bytes > 8 * SEGMENT_BYTES + 200);
      assert.equal(reader.isClosed, false);
    });

    test(`${way} holds one file for a viewer who does not read, and not for long`, async (t) => {
      const { serve, serveHttp, client, openFiles, live } = setUp(t, undefined, 3000);
      const port = await (way === 'serve' ? serve() : serveHttp());
      const stalled = [1, 2, 3].map(() => client(port).send(GET.repeat(8)));
      await until('a file each', () => openFiles() === 3);
      rmSync(join(live, 'segment.ts'));
      await settle();
      assert.equal(openFiles(), 3, 'the next file waits');
      await until('the end of all', () => openFiles() === 0);
      for (const { socket } of stalled) socket.resume();
      await until('cut connections', () => stalled.every(({ isClosed }) => isClosed));
    });

    test(`${way} leaves a viewer alone who is slow and reads`, async (t) => {
      const { serve, serveHttp, client } = setUp(t, undefined, 3000);
      const port = await (way === 'serve' ? serve() : serveHttp());
      const slow = client(port).send(GET).read();
      // Each pause is short, and all of them are longer than a connection may stand still.
      for (let next = 1 << 20; next <= SEGMENT_BYTES; next += 1 << 20) {
        slow.socket.pause();
        await letPass(150);
        slow.socket.resume();
        await until('another megabyte', () => slow.bytes > next, { everyMs: 1 });
      }
    });

    test(`${way} cuts a viewer who asks on and on without reading`, async (t) => {
      const { serve, serveHttp, client } = setUp(t);
      const port = await (way === 'serve' ? serve() : serveHttp());
      const greedy = client(port).send(GET.repeat(2000));
      greedy.send(GET.repeat(2000));
      await settle();
      greedy.socket.resume();
      await until('the end', () => greedy.isClosed);
      assert.ok(greedy.bytes < SEGMENT_BYTES);
    });
  }

  test('a viewer who takes nothing is cut, also while it goes on sending', async (t) => {
    const { serve, client, openFiles } = setUp(t, undefined, 3000);
    const stalled = client(await serve()).send(GET);
    await until('its file', () => openFiles() === 1);
    await until('its end', () => {
      stalled.send('G');
      return openFiles() === 0;
    });
  });

  test('connections for media are bounded per address and in all; beyond it is 503, and the refused are gone soon', async (t) => {
    const { serve, client, viewers } = setUp(t, { perAddress: 3, all: 4 });
    const port = await serve();
    const three = [1, 2, 3].map(() => client(port).send(GET));
    await until('three', () => viewers.count === 3);
    const fourth = client(port).send(PLAYLIST).read();
    await until('a refusal', () => fourth.status() === 503);
    assert.match(fourth.text, /retry-after: 5\r\n/iu);
    assert.match(fourth.text, /access-control-allow-origin: \*/iu);
    assert.match(fourth.text, /Your address has 3 connections to media here already/u);
    await until('its end', () => fourth.isClosed);
    const elsewhere = client(port, '127.0.0.2').send(PLAYLIST).read();
    await until('an answer', () => elsewhere.status() === 200);
    const beyond = client(port, '127.0.0.3').send(PLAYLIST).read();
    await until('a refusal of all', () => beyond.status() === 503);
    assert.match(beyond.text, /All 4 connections to media are in use/u);
    three[0]?.socket.destroy();
    await until('room', () => viewers.count === 3);
    const again = client(port).send(PLAYLIST).read();
    await until('an answer again', () => again.status() === 200);
  });

  test('a proxy does not count as a viewer: the viewers whom it names count', async (t) => {
    const { serve, client, viewers } = setUp(t, { perAddress: 1, all: 9 });
    const port = await serve();
    const of = (address: string): string => PLAYLIST.replace('Host: x', `Host: x\r\nX-Forwarded-For: ${address}`);
    const proxy = client(port).send(of('192.0.2.1')).read();
    await until('the first', () => proxy.status() === 200);
    proxy.send(of('192.0.2.2'));
    await until('the second', () => proxy.status(1) === 200);
    assert.equal(viewers.count, 1, 'one connection, whoever it speaks for');
    const other = client(port).send(of('192.0.2.2')).read();
    await until('one too many', () => other.status() === 503);
    const freed = client(port).send(of('192.0.2.1')).read();
    await until('the first again', () => freed.status() === 200);
  });

  test('a request for anything but media hands the connection to the API server, with the bytes that were read already', async (t) => {
    const { serve, client, viewers } = setUp(t);
    let rest = '';
    const port = await serve((socket, bytes) => {
      rest = bytes.toString();
      socket.end('HTTP/1.1 204 No Content\r\n\r\n');
    });
    const other = 'POST /svcapiv2/livestreams HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';
    const mixed = client(port)
      .send(PLAYLIST + other)
      .read();
    await until('the other answer', () => mixed.status(1) === 204);
    assert.equal(rest, other);
    assert.equal(viewers.count, 0);
  });

  test('a request that is no HTTP, or brings content, is refused where nobody else answers', async (t) => {
    const { serve, client } = setUp(t);
    const port = await serve();
    const statusOf = async (text: string): Promise<number> => {
      const one = client(port).send(text).read();
      await until('the end', () => one.isClosed);
      return one.status();
    };
    assert.equal(await statusOf('hello\r\n\r\n'), 400);
    // The first bytes of a TLS client, which waits for an answer to them.
    assert.equal(await statusOf('\u0016\u0003\u0001'), 400);
    assert.equal(await statusOf(GET.replace('Host: x', 'Host : x')), 400);
    assert.equal(await statusOf(GET.replace('Host: x', 'Host: x\r\nTransfer-Encoding: chunked')), 400);
    assert.equal(await statusOf(GET.replace('Host: x', 'Content-Length: 5')), 400);
    assert.equal(await statusOf('GET /agent.json HTTP/1.1\r\n\r\n'), 404);
    assert.equal(await statusOf(`GET /live/${'x'.repeat(20_000)}`), 431);
    assert.equal(await statusOf('GET /live/1/1/index.m3u8 HTTP/1.0\r\n\r\n'), 200);
  });

  test('an answer other than media that nobody takes is given up, too', async (t) => {
    const { serveHttp, client, connections } = setUp(t, undefined, 1000);
    const port = await serveHttp();
    const stalled = client(port).send('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    const quiet = client(port).read();
    await until('both', () => connections() === 2);
    await until('the end of the one that takes nothing', () => connections() === 1);
    quiet.send('GET /small HTTP/1.1\r\nHost: x\r\n\r\n');
    await until('an answer after a silence', () => quiet.status() === 200);
    stalled.read();
    await until('the end', () => stalled.isClosed);
    assert.ok(stalled.bytes < SEGMENT_BYTES);
  });
});
