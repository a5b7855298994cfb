/** The receivers of a broadcast, real ones, each behind a judge that notes who sends: RTMP, SRT, a datagram socket, and HLS that is pushed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { freePort } from '../../test/helpers/ports.ts';
import { startRtmp } from '../../test/helpers/servers/rtmp.ts';
import { Senders } from './senders.ts';

export interface Receiver {
  name: string;
  /** The fields of addPublishing. */
  publishing: { type: string; settings: object };
  senders: Senders;
  close(): Promise<void> | void;
}

const KEY = 'drilled';
/** A publisher has sent its handshake and its commands by then; media follows. */
const RTMP_COMMANDS = 8192;

/** nginx behind a line that notes the media of each connection. */
export async function rtmpReceiver(): Promise<Receiver> {
  const server = await startRtmp();
  const senders = new Senders();
  let connections = 0;
  const line = createServer((near) => {
    const sender = String((connections += 1));
    let bytes = 0;
    const far = connect(server.port, '127.0.0.1');
    near.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > RTMP_COMMANDS) senders.note(sender);
      far.write(chunk);
    });
    far.on('data', (chunk: Buffer) => near.write(chunk));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  const url = `rtmp://127.0.0.1:${(line.address() as AddressInfo).port}/live`;
  return {
    name: 'RTMP',
    publishing: { type: 'RTMP', settings: { url, stream_key: KEY } },
    senders,
    async close() {
      line.close();
      await server.dispose();
    },
  };
}

export async function datagramReceiver(): Promise<Receiver> {
  const senders = new Senders();
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 22 });
  socket.on('message', (_bytes, { port }) => senders.note(String(port)));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const url = `udp://127.0.0.1:${socket.address().port}`;
  return { name: 'UDP', publishing: { type: 'STREAM', settings: { url } }, senders, close: () => void socket.close() };
}

/** ffmpeg, started again whenever a caller has gone, behind a relay that notes the data packets of each caller. */
export async function srtReceiver(): Promise<Receiver> {
  const senders = new Senders();
  const target = await freePort();
  const callers = new Map<number, Datagrams>();
  const near = createSocket('udp4');
  near.on('message', (packet, { port }) => {
    // Control packets, the handshake among them, have the first bit.
    if ((packet[0]! & 0x80) === 0) senders.note(String(port));
    let far = callers.get(port);
    if (far === undefined) {
      far = createSocket('udp4').on('message', (back) => near.send(back, port, '127.0.0.1'));
      far.on('error', () => undefined);
      callers.set(port, far);
    }
    far.send(packet, target, '127.0.0.1');
  });
  near.bind(0, '127.0.0.1');
  await once(near, 'listening');
  let child: ChildProcess;
  let isOver = false;
  const listen = (): void => {
    if (isOver) return;
    const words = ['-nostdin', '-v', 'error', '-i', `srt://127.0.0.1:${target}?mode=listener`];
    child = spawn('ffmpeg', [...words, '-c', 'copy', '-f', 'null', '-'], { stdio: 'ignore' });
    child.once('exit', listen);
  };
  listen();
  const url = `srt://127.0.0.1:${near.address().port}`;
  return {
    name: 'SRT',
    publishing: { type: 'SRT', settings: { url } },
    senders,
    close() {
      isOver = true;
      child.kill('SIGKILL');
      for (const socket of [near, ...callers.values()]) socket.close();
    },
  };
}

/** An origin that takes what is put there. A segment names its run. */
export async function hlsReceiver(): Promise<Receiver> {
  const senders = new Senders();
  const server = createHttp((request, response) => {
    const [, run] = /-([0-9a-f]{8})\.ts$/u.exec(request.url ?? '') ?? [];
    if (run !== undefined && request.method === 'PUT') request.on('data', () => senders.note(run));
    request.resume().on('end', () => response.writeHead(request.method === 'PUT' ? 201 : 204).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/live/`;
  return {
    name: 'HLS',
    publishing: { type: 'HLS / TS', settings: { url, segment_duration: 1 } },
    senders,
    close: () => server.close().closeAllConnections(),
  };
}
