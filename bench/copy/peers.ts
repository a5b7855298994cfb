/** Senders and receivers of the benchmark of copies: real ones, one live picture of 2 Mbit/s for all. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { startRtmp } from '../../test/helpers/servers/rtmp.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { makeClip } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';

export interface CopyCase {
  source: 'UDP' | 'RTMP' | 'HLS' | 'SRT' | 'SRT push';
  destination: 'HLS / TS' | 'RTMP' | 'SRT' | 'Record';
  streams: number;
}

/** The `n`-th stream's side of the work, for the product and for a plain ffmpeg. */
export interface Peers {
  channel(n: number): object;
  publishing(n: number): object;
  plainArgs(n: number, dir: string): string[];
  dispose(): Promise<void>;
}

type End = () => Promise<void> | void;

interface Side<T> {
  of: (n: number) => T;
  plain: (n: number, dir: string) => string[];
}

export async function startPeers(dir: string, { source, destination, streams }: CopyCase): Promise<Peers> {
  const ends: End[] = [];
  const clip = makeClip(join(dir, 'clip.mp4'), 8, '640x360');
  const from = await SOURCES[source]({ clip, dir, streams, ends });
  const to = await DESTINATIONS[destination]({ clip, dir, streams, ends });
  return {
    channel: from.of,
    publishing: to.of,
    plainArgs: (n, folder) => [...from.plain(n, folder), '-c', 'copy', ...to.plain(n, folder)],
    async dispose() {
      for (const end of ends.reverse()) await end();
    },
  };
}

interface Scene {
  clip: string;
  dir: string;
  streams: number;
  ends: End[];
}

function ffmpeg({ ends }: Scene, args: readonly string[]): ChildProcess {
  const child = spawn('ffmpeg', ['-v', 'error', '-nostdin', ...args], { stdio: 'ignore' });
  ends.push(() => void child.kill('SIGKILL'));
  return child;
}

/** An encoder that calls again whenever it is sent away. */
function caller({ ends }: Scene, args: readonly string[]): void {
  let child: ChildProcess | undefined;
  let hasEnded = false;
  const call = (): void => {
    if (hasEnded) return;
    child = spawn('ffmpeg', ['-v', 'error', '-nostdin', ...args], { stdio: 'ignore' });
    child.once('exit', () => void setTimeout(call, 500));
  };
  call();
  ends.push(() => {
    hasEnded = true;
    child?.kill('SIGKILL');
  });
}

function ports(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, freePort));
}

const live = (clip: string): string[] => ['-re', '-stream_loop', '-1', '-i', clip, '-c', 'copy'];

const SOURCES: Record<CopyCase['source'], (scene: Scene) => Promise<Side<object>>> = {
  /** One ffmpeg sends, and what it sends is passed on to every port. */
  async UDP(scene) {
    const to = await ports(scene.streams);
    const [socket, out] = [createSocket({ type: 'udp4', recvBufferSize: 1 << 22 }), createSocket('udp4')];
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    socket.on('message', (bytes) => {
      for (const port of to) out.send(bytes, port, '127.0.0.1');
    });
    scene.ends.push(() => void [socket.close(), out.close()]);
    ffmpeg(scene, [...live(scene.clip), '-f', 'mpegts', `udp://127.0.0.1:${socket.address().port}?pkt_size=1316`]);
    return {
      of: (n) => ({ type: 'Stream', settings: { url: `udp://127.0.0.1:${to[n]}` } }),
      plain: (n) => ['-i', `udp://127.0.0.1:${to[n]}`],
    };
  },
  async RTMP(scene) {
    const url = await published(scene);
    return { of: () => ({ type: 'Stream', settings: { url } }), plain: () => ['-i', url] };
  },
  async HLS(scene) {
    const folder = join(scene.dir, `hls-${Date.now()}`);
    mkdirSync(folder);
    const list = join(folder, 'index.m3u8');
    ffmpeg(scene, [...live(scene.clip), '-f', 'hls', '-hls_time', '2', '-hls_flags', 'delete_segments', list]);
    const server = createServer((request, response) => {
      readFile(join(folder, basename(request.url ?? ''))).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    scene.ends.push(() => void [server.close(), server.closeAllConnections()]);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/index.m3u8`;
    await until('a playlist', async () => (await fetch(url)).ok);
    return {
      of: () => ({ type: 'Stream', settings: { url } }),
      plain: () => ['-re', '-live_start_index', '-2', '-i', url],
    };
  },
  async SRT(scene) {
    const to = await ports(scene.streams);
    for (const port of to) {
      const sender = ['-f', 'mpegts', `srt://127.0.0.1:${port}?mode=listener&listen_timeout=-1`];
      ffmpeg(scene, [...live(scene.clip), ...sender]);
    }
    return {
      of: (n) => ({ type: 'SRT', settings: { mode: 'caller', host: '127.0.0.1', port: to[n] } }),
      plain: (n) => ['-i', `srt://127.0.0.1:${to[n]}`],
    };
  },
  async 'SRT push'(scene) {
    const to = await ports(scene.streams);
    for (const port of to) caller(scene, [...live(scene.clip), '-f', 'mpegts', `srt://127.0.0.1:${port}`]);
    return {
      of: (n) => ({ type: 'SRT', settings: { mode: 'listener', host: '127.0.0.1', port: to[n] } }),
      plain: (n) => ['-i', `srt://127.0.0.1:${to[n]}?mode=listener`],
    };
  },
};

const DESTINATIONS: Record<CopyCase['destination'], (scene: Scene) => Promise<Side<object>>> = {
  async 'HLS / TS'() {
    return {
      of: () => ({ type: 'HLS / TS' }),
      plain(_, dir) {
        mkdirSync(dir);
        return ['-f', 'hls', '-hls_time', '6', '-hls_list_size', '6', '-hls_flags', 'delete_segments', `${dir}/i.m3u8`];
      },
    };
  },
  async RTMP({ ends }) {
    const server = await startRtmp();
    ends.push(() => server.dispose());
    return {
      of: (n) => ({ type: 'RTMP', settings: { url: server.url, stream_key: `ours-${n}` } }),
      plain: (n) => ['-f', 'flv', `${server.url}/plain-${n}`],
    };
  },
  async SRT(scene) {
    const to = await ports(scene.streams);
    for (const port of to)
      ffmpeg(scene, ['-i', `srt://127.0.0.1:${port}?mode=listener`, '-c', 'copy', '-f', 'null', '-']);
    return {
      of: (n) => ({ type: 'SRT', settings: { url: `srt://127.0.0.1:${to[n]}` } }),
      plain: (n) => ['-f', 'mpegts', `srt://127.0.0.1:${to[n]}`],
    };
  },
  async Record() {
    return {
      of: () => ({ type: 'Record' }),
      plain: (_, dir) => [
        '-y',
        '-bsf:a',
        'aac_adtstoasc',
        '-movflags',
        '+frag_keyframe+empty_moov+default_base_moof',
        '-f',
        'mp4',
        `${dir}.mp4`,
      ],
    };
  },
};

async function published(scene: Scene): Promise<string> {
  const server = await startRtmp();
  scene.ends.push(() => server.dispose());
  ffmpeg(scene, [...live(scene.clip), '-f', 'flv', `${server.url}/live`]);
  await until('the stream', async () => (await server.publishing()).includes('live'));
  return `${server.url}/live`;
}
