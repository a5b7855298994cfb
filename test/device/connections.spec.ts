/** Which connection goes when there are too many, over real sockets. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, Socket, type AddressInfo, type Server } from 'node:net';
import { test, type TestContext } from 'node:test';
import {
  Connections,
  inHandshake,
  PortConnections,
  STRANGERS,
  useByBytes,
  type Held,
  type Use,
} from '../../device/connections.ts';
import { mediaFirst } from '../../device/delivery/first-bytes.ts';
import { boundConnections } from '../../device/delivery/http-connections.ts';
import { connectionLimits, viewerLimits } from '../../device/delivery/viewer-limits.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { until } from '../helpers/until.ts';

interface Client {
  socket: Socket;
  text: string;
  isClosed: boolean;
}

async function listen(t: TestContext, server: Server): Promise<(from?: string) => Promise<Client>> {
  const sockets = new Set<Socket>();
  server.prependListener('connection', (socket: Socket) => void sockets.add(socket));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  cleanUp(t, () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return async (localAddress = '127.0.0.1') => {
    const count = sockets.size;
    const socket = connect({ port, host: '127.0.0.1', localAddress, family: 4 });
    const client: Client = { socket, text: '', isClosed: false };
    socket.on('error', () => undefined).once('close', () => (client.isClosed = true));
    socket.on('data', (chunk: Buffer) => (client.text += chunk.toString('latin1')));
    cleanUp(t, () => socket.destroy());
    await until('an accepted connection', () => sockets.size > count, { everyMs: 5 });
    return client;
  };
}

interface Port {
  connections: Connections;
  uses: Map<Socket, Use>;
  /** In milliseconds; each connection comes so much later than the one before. */
  clock: { now: number; stepMs: number };
  open(from?: string): Promise<Client>;
  /** On the side of the server. */
  peerOf(client: Client): Socket;
}

async function openPort(t: TestContext, limits: { perAddress: number; all: number }): Promise<Port> {
  const uses = new Map<Socket, Use>();
  const peers = new Map<number, Socket>();
  const clock = { now: 0, stepMs: 3_600_000 };
  const connections = new Connections({
    limits,
    addressOf: (socket) => socket.remoteAddress ?? '',
    useOf: (socket) => uses.get(socket) ?? 'silent',
    now: () => clock.now,
  });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    clock.now += clock.stepMs;
    if (connections.enter(socket)) peers.set(socket.remotePort ?? 0, socket.resume());
    else socket.destroy();
  });
  return {
    connections,
    uses,
    clock,
    open: await listen(t, server),
    peerOf: ({ socket }) => peers.get(socket.localPort!)!,
  };
}

test('one connection too many from an address closes the oldest connection of that address that was never answered', async (t) => {
  const { connections, uses, open, peerOf } = await openPort(t, { perAddress: 3, all: 9 });
  const other = await open('127.0.0.2');
  const busy = await open();
  uses.set(peerOf(busy), 'busy');
  const [oldest, younger] = [await open(), await open()];
  const last = await open();
  await until('the end of the oldest', () => oldest.isClosed);
  assert.deepEqual(
    [other, busy, younger, last].map(({ isClosed }) => isClosed),
    [false, false, false, false],
  );
  assert.equal(connections.count, 4);
});

test('one connection too many in all closes one of the address that has the most', async (t) => {
  const { connections, open, peerOf } = await openPort(t, { perAddress: 9, all: 4 });
  const honest = await open('127.0.0.2');
  const greedy = [await open(), await open(), await open()];
  assert.ok(connections.enter(peerOf(honest)), 'one that has a place has it once more, as the newest');
  const late = await open('127.0.0.3');
  await until('the end of the oldest of the greedy', () => greedy[0]!.isClosed);
  assert.deepEqual(
    [honest, greedy[1]!, greedy[2]!, late].map(({ isClosed }) => isClosed),
    [false, false, false, false],
  );
  assert.equal(connections.count, 4);
});

test('one connection too many in all closes a silent one of any address before one that is between two requests', async (t) => {
  const { uses, open, peerOf } = await openPort(t, { perAddress: 9, all: 3 });
  const [one, two] = [await open('127.0.0.2'), await open('127.0.0.2')];
  for (const client of [one, two]) uses.set(peerOf(client), 'idle');
  const silent = await open('127.0.0.3');
  await open('127.0.0.4');
  await until('the end of the silent one', () => silent.isClosed);
  assert.deepEqual([one.isClosed, two.isClosed], [false, false]);
});

test('a new connection outlives all older ones that wait, and of new ones the oldest goes first', async (t) => {
  const { connections, uses, clock, open, peerOf } = await openPort(t, { perAddress: 4, all: 9 });
  const [idle, unread] = [await open(), await open()];
  uses.set(peerOf(idle), 'idle').set(peerOf(unread), 'unread');
  clock.stepMs = 0;
  const honest = await open();
  const others = [await open(), await open(), await open()];
  await until('the end of both', () => idle.isClosed && unread.isClosed);
  for (const other of others) uses.set(peerOf(other), 'idle');
  assert.deepEqual(
    [honest, ...others].map(({ isClosed }) => isClosed),
    [false, false, false, false],
  );
  await open();
  await until('the end of the oldest', () => honest.isClosed);
  assert.equal(connections.count, 4);
});

test('an IPv6 host has one share, whatever address of its network it takes, and each IPv4 address has its own on a socket for both', () => {
  let now = 0;
  const addresses = new Map<Held, string>();
  const connections = new Connections<Held>({
    limits: { perAddress: 2, all: 9 },
    addressOf: (one) => addresses.get(one)!,
    useOf: () => 'silent',
    now: () => (now += 10_000),
  });
  const come = (address: string): EventEmitter & { destroyed: boolean } => {
    const one = Object.assign(new EventEmitter(), { destroyed: false, destroy: () => (one.destroyed = true) });
    addresses.set(one, address);
    assert.ok(connections.enter(one));
    return one;
  };
  const ones = ['2001:db8::1', '2001:db8::2:1', '2001:db8::3:1:1', '2001:db8:0:1::1'].map(come);
  assert.deepEqual(
    ones.map(({ destroyed }) => destroyed),
    [true, false, false, false],
  );
  const four = ['::ffff:192.0.2.1', '::ffff:192.0.2.1', '::ffff:192.0.2.2', '::ffff:192.0.2.3'].map(come);
  assert.deepEqual(
    four.map(({ destroyed }) => destroyed),
    [false, false, false, false],
  );
  assert.equal(connections.countOf('192.0.2.1'), 2);
});

test('of a port, 256 connections of an address have not asked for anything; the others have, and are counted apart', () => {
  const port = new PortConnections({
    limits: { perAddress: 2000, all: 3000 },
    addressOf: () => '192.0.2.1',
    useOf: () => 'silent',
  });
  const come = (): Socket => {
    const socket = new Socket();
    assert.ok(port.enter(socket));
    return socket;
  };
  const callers = Array.from({ length: 300 }, come);
  const isOpen = ({ destroyed }: Socket): boolean => !destroyed;
  assert.equal(callers.filter(isOpen).length, STRANGERS.perAddress);
  for (const socket of callers) port.hasAsked(socket);
  const silent = Array.from({ length: 300 }, come);
  assert.equal(silent.filter(isOpen).length, STRANGERS.perAddress);
  assert.equal(callers.filter(isOpen).length, STRANGERS.perAddress, 'none of them goes for a silent one');
  port.cutStrangers();
  assert.deepEqual([silent.some(isOpen), callers.some(isOpen)], [false, true]);
  port.cutAll();
  assert.equal(callers.some(isOpen), false);
});

test('the bytes of a connection tell the silent one, the one that has begun, the one that was answered and the one that reads nothing', async (t) => {
  const peers: Socket[] = [];
  const open = await listen(
    t,
    createServer((socket) => void peers.push(socket.resume())),
  );
  const { socket } = await open();
  const [peer] = peers as [Socket];
  assert.equal(useByBytes(peer), 'silent');
  socket.write('G');
  await until('a byte', () => useByBytes(peer) === 'begun');
  peer.write('here');
  await until('its answer is out', () => useByBytes(peer) === 'idle');
  inHandshake.add(peer);
  assert.equal(useByBytes(peer), 'begun', 'of a handshake it is none');
  inHandshake.delete(peer);
  socket.pause();
  peer.write(Buffer.alloc(64 << 20));
  assert.equal(useByBytes(peer), 'unread');
});

test('silent connections are closed first, then those that have begun, then idle ones, then those whose answers are not read, and busy ones never', async (t) => {
  const { connections, uses, open, peerOf } = await openPort(t, { perAddress: 5, all: 9 });
  const unread = await open();
  const idle = await open();
  const begun = await open();
  const silent = await open();
  const busy = await open();
  uses.set(peerOf(unread), 'unread').set(peerOf(idle), 'idle').set(peerOf(begun), 'begun').set(peerOf(busy), 'busy');
  for (const next of [silent, begun, idle, unread]) {
    assert.equal(next.isClosed, false);
    const come = await open();
    uses.set(peerOf(come), 'busy');
    await until('the end of the next', () => next.isClosed);
  }
  const refused = await open();
  await until('a refusal', () => refused.isClosed);
  assert.equal(busy.isClosed, false);
  assert.equal(connections.count, 5);
  busy.socket.destroy();
  await until('its place', () => connections.count === 4);
});

test('half of the file descriptors are for connections, up to 3,000, and a quarter for the files of viewers, up to 2,000', () => {
  assert.deepEqual(connectionLimits(1024), { perAddress: 341, all: 512 });
  assert.deepEqual(connectionLimits(1_000_000), { perAddress: 2000, all: 3000 });
  assert.deepEqual(viewerLimits(2048), { perAddress: 256, all: 512 });
  assert.deepEqual(viewerLimits(1_000_000), { perAddress: 1000, all: 2000 });
  assert.ok(connectionLimits().all > 0);
});

test('a silent connection is closed for a call, and the call is answered', async (t) => {
  const server = createHttpServer((_incoming, response) => response.end('here'));
  const bound = boundConnections(server, 60_000);
  const connections = new PortConnections({
    limits: { perAddress: 6, all: 18 },
    addressOf: (socket) => socket.remoteAddress ?? '',
    useOf: (socket) => (bound.stateOf(socket) === undefined ? 'silent' : 'busy'),
  });
  mediaFirst(server, (socket) => void socket.destroy(), connections);
  const open = await listen(t, server);
  const [first, second, third] = [await open(), await open(), await open()];
  for (const { socket } of [first, second, third]) socket.write('GET /li');
  const call = await open();
  call.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('an answer', () => call.text.endsWith('here'));
  await until('the end of the oldest', () => first.isClosed);
  assert.equal(third.isClosed, false);
});
