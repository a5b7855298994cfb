/** Connections of HTTP/2 between machines that are over before a listener of theirs runs, as after a moment in which a process stood still. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2, performServerHandshake, type ClientHttp2Session } from 'node:http2';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { it, type TestContext } from 'node:test';
import { keepAlive } from '../../../device/session-heartbeat.ts';
import { onStreams, openStream } from '../../../device/session-stream.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { until } from '../../helpers/until.ts';

async function sockets(t: TestContext): Promise<{ near: Socket; far: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  cleanUp(t, () => void server.close());
  await once(server, 'listening');
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  const [far] = (await once(server, 'connection')) as [Socket];
  cleanUp(t, () => [near, far].forEach((socket) => socket.destroy()));
  return { near, far: far.on('error', () => undefined) };
}

function sessionOver(socket: Socket): ClientHttp2Session {
  return connectHttp2('http://peer', { createConnection: () => socket }).on('error', () => undefined);
}

it('a session that is over is kept alive by nobody, and a stream of it fails by itself', async (t) => {
  for (const [state, end] of [
    ['destroyed', (session: ClientHttp2Session) => session.destroy()],
    ['closed', (session: ClientHttp2Session) => session.close()],
    ['without a socket', (_session: ClientHttp2Session, socket: Socket) => void socket.destroy()],
  ] as const) {
    const { near } = await sockets(t);
    const session = sessionOver(near);
    end(session, near);
    keepAlive(session, near);
    const stream = openStream(session, 'device');
    const [error] = (await once(stream, 'error').catch((reason: unknown) => [reason])) as [Error];
    assert.ok(error instanceof Error, state);
    keepAlive(session, near);
  }
});

it('a stream that was reset before it is taken in is left, and the next one is served', async (t) => {
  const { near, far } = await sockets(t);
  const session = performServerHandshake(far);
  const taken: string[] = [];
  session.once('stream', (stream) => stream.destroy());
  onStreams(session, (target) => (stream) => {
    taken.push(target);
    stream.end(target);
  });
  const client = sessionOver(near);
  const first = openStream(client, 'first');
  first.on('error', () => undefined);
  await once(first, 'close');
  const second = openStream(client, 'second').setEncoding('utf8');
  const [text] = (await once(second, 'data')) as [string];
  assert.deepEqual([text, taken], ['second', ['second']]);
});

/** A connection to a machine that is gone: what is written to it is never taken, and it is never told. */
class Gone extends Duplex {
  override _read(): void {
    // Nothing comes.
  }

  override _write(): void {
    // It is under way for ever.
  }
}

it('a session whose other side takes nothing more ends, and its socket with it, though a write is under way', async () => {
  const gone = new Gone();
  const session = sessionOver(gone as unknown as Socket);
  keepAlive(session, gone);
  await until('the end of the connection', () => gone.destroyed);
  assert.ok(session.destroyed);
});
