/** The proxy between an ingest's ffmpeg and the web, by its bytes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { lookup } from 'node:dns';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { parseNetworks, Reach, type ResolveAll } from '../../../domain/network/networks.ts';
import { proxyAnswer, WebProxy } from '../../../device/runner/input/web-proxy.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { until } from '../../helpers/until.ts';

const resolver = lookup as unknown as ResolveAll;

/** A server that answers nothing by itself; what it was sent. */
async function listener(t: TestScope): Promise<{ port: number; sent: string[]; sockets: Socket[] }> {
  const sent: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const at = sockets.push(socket) - 1;
    sent[at] = '';
    socket.on('data', (chunk: Buffer) => (sent[at] += chunk.toString('latin1'))).on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sent, sockets };
}

async function client(
  t: TestScope,
  proxy: WebProxy,
): Promise<{ socket: Socket; got: () => string; isOver: () => boolean }> {
  const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
  let got = '';
  let isOver = false;
  socket.on('data', (chunk: Buffer) => (got += chunk.toString('latin1'))).on('error', () => undefined);
  socket.on('close', () => (isOver = true));
  cleanUp(t, () => void socket.destroy());
  await once(socket, 'connect');
  return { socket, got: () => got, isOver: () => isOver };
}

test('proxied requests go on in origin form, one after the other, and answers come back byte by byte', async (t) => {
  const proxy = await WebProxy.open(new Reach(parseNetworks(), resolver));
  cleanUp(t, () => proxy.close());
  const { port, sent, sockets } = await listener(t);
  const { socket, got, isOver } = await client(t, proxy);
  const head = `Host: localhost:${port}\r\nIcy-MetaData: 1\r\n\r\n`;
  // In pieces, the second request begins before the first is answered.
  socket.write(`GET http://localhost:${port}/a%20b?x=http://y/ HT`);
  socket.write(`TP/1.1\r\n${head}GET http://localhost:${port}?q HTTP/1.1\r\n${head}`);
  const wanted = `GET /a%20b?x=http://y/ HTTP/1.1\r\n${head}GET /?q HTTP/1.1\r\n${head}`;
  await until('both requests', () => sent[0] === wanted);
  // Not HTTP at all, as old radio servers have it.
  sockets[0]!.write('ICY 200 OK\r\n\r\n\u00ff\u0000', 'latin1');
  await until('the answer', () => got() === 'ICY 200 OK\r\n\r\n\u00ff\u0000');
  socket.write(`GET http://127.0.0.1:${port}/other HTTP/1.1\r\n\r\n`);
  await until('a request for another server ends the connection', isOver);
  assert.equal(sent[0], wanted);
  assert.equal(sockets.length, 1);
});

test('a tunnel of the proxy passes on both ways and ends with either', async (t) => {
  const proxy = await WebProxy.open(new Reach(parseNetworks(), resolver));
  cleanUp(t, () => proxy.close());
  const { port, sent, sockets } = await listener(t);
  const { socket, got, isOver } = await client(t, proxy);
  socket.write(`CONNECT localhost:${port} HTTP/1.1\r\n\r\nhello`);
  await until('the first bytes', () => sent[0] === 'hello');
  sockets[0]!.end('world');
  await until('the last bytes, and the end', isOver);
  assert.match(got(), /^HTTP\/1\.1 200 onair: connected\r\n\r\nworld$/u);
});

test('an address that may not be reached, or is not there, is reported in the status that ffmpeg repeats', async (t) => {
  const proxy = await WebProxy.open(new Reach(parseNetworks('!127.0.0.1,!::1'), resolver));
  cleanUp(t, () => proxy.close());
  const { port, sockets } = await listener(t);
  const answer = async (request: string): Promise<string> => {
    const { socket, got, isOver } = await client(t, proxy);
    socket.write(`${request}\r\n\r\n`);
    await until('the end', isOver);
    return got().split('\r\n')[0]!;
  };
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0.0.0.0']) {
    for (const request of [`GET http://${host}:${port}/ HTTP/1.1`, `CONNECT ${host}:${port} HTTP/1.1`])
      assert.match(await answer(request), /^HTTP\/1\.1 403 onair: .*ONAIR_SOURCE_NETWORKS$/u, request);
  }
  assert.equal(sockets.length, 0);
  assert.match(
    await answer('CONNECT 127.0.0.3:9 HTTP/1.1'),
    /^HTTP\/1\.1 502 onair: Connection refused \(127\.0\.0\.3:9\)$/u,
  );
  for (const strange of ['GET /x HTTP/1.1', 'CONNECT x HTTP/1.1', 'GET https://x/ HTTP/1.1', 'POST http://x/ HTTP/1.1'])
    assert.match(await answer(strange), /^HTTP\/1\.1 400 /u, strange);
  const words = '[http] [warning] HTTP error 403 onair: 127.0.0.1 is refused\n[error] x: Server returned 403 Forbidden';
  assert.deepEqual(proxyAnswer(words), { words: '127.0.0.1 is refused', isRefused: true });
  assert.equal(proxyAnswer('[http] [warning] HTTP error 403 Forbidden'), undefined);
});
