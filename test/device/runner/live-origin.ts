/** A live source at a low rate, paced by its server: the same bytes at the same time by HTTP and by UDP. */
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isRandomAccess, PACKET_BYTES, pidOf } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { freePort } from '../../helpers/ports.ts';

/** bit/s of pictures, sound, tables and filling. */
const RATE = 100_000;
const SECONDS = 60;
const PICTURES = 0x100;
const DATAGRAM_BYTES = 7 * PACKET_BYTES;
const TICK_MS = 20;

/** 640×360 at 25 a second with a keyframe every so many pictures, bright, at a constant rate. */
function liveClip(dir: string, keyframePictures: number): Buffer {
  const path = join(dir, 'live.ts');
  const picture = ['-f', 'lavfi', '-i', 'color=white:size=640x360:rate=25,drawbox=x=100:w=100:color=gray'];
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
  const rate = ['-b:v', '40k', '-maxrate', '40k', '-bufsize', '40k'];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', String(keyframePictures), ...rate];
  const mux = ['-c:a', 'aac', '-b:a', '24k', '-muxrate', String(RATE), '-f', 'mpegts'];
  execFileSync('ffmpeg', ['-v', 'error', ...picture, ...sound, '-t', String(SECONDS), ...coding, ...mux, path]);
  return readFileSync(path);
}

export interface LiveOrigin {
  urls: { http: string; udp: string };
  /** When somebody joined after that instant; all of them by performance.now(). */
  joinedAfter(kind: 'http' | 'udp', at: number): number | undefined;
  /** The begin of the first keyframe that was sent after that. */
  keyframeAfter(at: number): number | undefined;
  /** Who listens hears nothing more, and who comes is refused. */
  isDown: boolean;
}

/** Nobody gets what was before. */
export async function serveLive(t: TestScope, dir: string, keyframePictures: number): Promise<LiveOrigin> {
  const media = liveClip(dir, keyframePictures);
  const origin = performance.now();
  const due = (): number => PACKET_BYTES * Math.floor(((performance.now() - origin) / 8000 / PACKET_BYTES) * RATE);
  const port = await freePort();
  const keyframes: number[] = [];
  const joined = { http: [] as number[], udp: [] as number[] };
  const listeners = new Set<(bytes: Buffer) => void>();
  let isDown = false;
  let wasBound = false;
  let sent = due();
  const socket = createSocket('udp4');
  let waiting: Buffer = Buffer.alloc(0);
  listeners.add((bytes) => {
    waiting = Buffer.concat([waiting, bytes]);
    for (; waiting.length >= DATAGRAM_BYTES; waiting = waiting.subarray(DATAGRAM_BYTES))
      socket.send(waiting.subarray(0, DATAGRAM_BYTES), port, '127.0.0.1');
  });
  const timer = setInterval(() => {
    const bound = isBound(port);
    if (bound && !wasBound) joined.udp.push(performance.now());
    wasBound = bound;
    const to = due();
    for (; sent < to; sent += PACKET_BYTES) {
      const from = sent % media.length;
      if (pidOf(media, from) === PICTURES && isRandomAccess(media, from)) keyframes.push(performance.now());
      if (!isDown) for (const listener of listeners) listener(media.subarray(from, from + PACKET_BYTES));
    }
  }, TICK_MS);
  const server = createServer((_request, response) => {
    if (isDown) return void response.writeHead(503).end();
    response.writeHead(200, { 'content-type': 'video/mp2t' });
    joined.http.push(performance.now());
    const listener = (bytes: Buffer): void => void response.write(bytes);
    listeners.add(listener);
    response.on('close', () => listeners.delete(listener));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => {
    clearInterval(timer);
    server.closeAllConnections();
    server.close();
    socket.close();
  });
  return {
    urls: { http: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, udp: `udp://127.0.0.1:${port}` },
    joinedAfter: (kind, at) => joined[kind].find((one) => one >= at),
    keyframeAfter: (at) => keyframes.find((one) => one >= at),
    get isDown() {
      return isDown;
    },
    set isDown(down) {
      isDown = down;
      if (down) server.closeAllConnections();
    },
  };
}

/** Whether a process listens on the UDP port of this machine. */
function isBound(port: number): boolean {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return ['/proc/net/udp', '/proc/net/udp6'].some((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .some((line) => line.trim().split(/\s+/u)[1]?.endsWith(wanted) === true),
  );
}
