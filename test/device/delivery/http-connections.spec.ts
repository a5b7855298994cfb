/** Requests that come together on one connection of an HTTP server. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { boundConnections, type BoundConnections } from '../../../device/delivery/http-connections.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { letPass } from '../../helpers/pass.ts';
import { until } from '../../helpers/until.ts';

/** More than what the buffers of a connection hold. */
const LARGE = Buffer.alloc(12 << 20, 'x');
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

interface Bench {
  bound: BoundConnections;
  /** Paths of the requests that were begun. */
  begun: string[];
  client(text: string, isReading?: boolean): { socket: Socket; text(): string; isClosed(): boolean };
}

async function setUp(
  t: TestContext,
  answer?: (incoming: IncomingMessage, response: ServerResponse) => void,
): Promise<Bench> {
  const begun: string[] = [];
  const server = createServer((incoming, response) => {
    begun.push(incoming.url ?? '');
    if (answer !== undefined) return answer(incoming, response);
    if (incoming.url === '/last') response.setHeader('connection', 'close');
    response.end(incoming.url === '/large' ? LARGE : `[${incoming.url}]`);
  });
  const bound = boundConnections(server, 60_000);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  cleanUp(t, () => {
    server.close();
    server.closeAllConnections();
  });
  return {
    bound,
    begun,
    client(sent, isReading = true) {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      let text = '';
      let isClosed = false;
      socket.on('error', () => undefined).once('close', () => (isClosed = true));
      if (isReading) socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      socket.write(sent);
      cleanUp(t, () => socket.destroy());
      return { socket, text: () => text, isClosed: () => isClosed };
    },
  };
}

test('the next request of a connection is begun when the answer before is out, in the order they came', async (t) => {
  const open: ServerResponse[] = [];
  const { begun, client } = await setUp(t, (_incoming, response) => void open.push(response));
  const one = client(get('/1') + get('/2') + get('/3'));
  for (const count of [1, 2, 3]) {
    await until(`request ${count}`, () => open.length === count);
    // Long enough for a server to do what it must not do.
    await letPass(50);
    assert.equal(begun.length, count);
    open[count - 1]?.end(`[${count}]`);
  }
  await until('all answers', () => one.text().includes('[3]'));
  assert.match(one.text(), /\[1\][^]*\[2\][^]*\[3\]/u);
  assert.deepEqual(begun, ['/1', '/2', '/3']);
});

test('a client that does not read holds one answer, whatever it asked for', async (t) => {
  const { begun, client } = await setUp(t);
  const stalled = client(get('/large').repeat(16), false);
  await until('the first', () => begun.length === 1);
  await letPass(100);
  assert.equal(begun.length, 1);
  stalled.socket.resume();
  await until('all of them', () => begun.length === 16);
});

test('a connection with more than sixteen requests in waiting is cut, and none of them is begun', async (t) => {
  const { begun, client } = await setUp(t, () => undefined);
  const greedy = client(get('/1').repeat(500));
  await until('its end', greedy.isClosed);
  assert.ok(begun.length <= 1, `${begun.length} begun`);
});

test('all connections together may have a thousand requests in waiting; beyond, a connection has one', async (t) => {
  const { client } = await setUp(t, () => undefined);
  const crowd = Array.from({ length: 100 }, () => client(get('/1').repeat(17)));
  await until('the end of some', () => crowd.filter(({ isClosed }) => isClosed()).length >= 37);
  const modest = client(get('/1').repeat(2));
  await letPass(100);
  assert.equal(modest.isClosed(), false);
  assert.equal(crowd.filter(({ isClosed }) => isClosed()).length, 38);
  // Those that are gone have left their places.
  for (const { socket } of crowd) socket.destroy();
  await until('the end of all', () => crowd.every(({ isClosed }) => isClosed()));
  await letPass(100);
  const next = client(get('/1').repeat(17));
  await letPass(100);
  assert.equal(next.isClosed(), false);
});

test('a request that waits behind the last answer of its connection is not begun', async (t) => {
  const { begun, client } = await setUp(t);
  const one = client(get('/last') + get('/never'));
  await until('its end', one.isClosed);
  assert.deepEqual(begun, ['/last']);
  assert.match(one.text(), /\[\/last\]$/u);
});

test('a request whose content does not come counts as begun, until it is answered or more has come than a stranger may send', async (t) => {
  const open: { incoming: IncomingMessage; response: ServerResponse }[] = [];
  const { bound, client } = await setUp(t, (incoming, response) => void open.push({ incoming, response }));
  const head = (length: number): string => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
  const clients = [client(get('/')), client(`${head(4)}1234`), client(head(4)), client(head(100_000))];
  await until('all four', () => open.length === 4);
  const states = (): (string | undefined)[] => open.map(({ incoming }) => bound.stateOf(incoming.socket)).sort();
  assert.deepEqual(states(), ['answering', 'answering', 'receiving', 'receiving']);
  clients[3]!.socket.write('x'.repeat(50_000));
  await until('the third that is answered', () => states().filter((state) => state === 'answering').length === 3);
  open.find(({ incoming }) => incoming.headers['content-length'] === '4' && !incoming.complete)!.response.end('no');
  await until('an answer', () => states().includes('idle'));
  assert.deepEqual(states(), ['answering', 'answering', 'answering', 'idle']);
});
