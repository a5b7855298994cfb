/** Senders and receivers of the benchmark of copies: real ones, one live picture for all. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { startRtmp } from '../../test/helpers/servers/rtmp.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { until } from '../../test/helpers/until.ts';
import { live, startCaller } from '../peers/caller.ts';
import type { NginxWork } from '../peers/nginx.ts';

export interface CopyCase {
  source: 'UDP' | 'RTMP' | 'RTMP push' | 'HLS' | 'SRT' | 'SRT push';
  destination: keyof typeof DESTINATIONS;
  streams: number;
}

/** The program that does the work. */
export type Carrier = 'onair' | 'ffmpeg' | 'nginx';

/** The `n`-th stream's side of the work, for each carrier. */
export interface Peers {
  channel(n: number): object;
  publishings(n: number): object[];
  plainArgs(n: number, dir: string): string[];
  nginx: Pick<NginxWork, 'port' | 'work'>;
  dispose(): Promise<void>;
}

type End = () => Promise<void> | void;

interface Source {
  of: (n: number) => object;
  plain: (n: number) => string[];
  /** The port on which nginx takes the encoders. */
  port?: number;
}

interface Destination {
  of: (n: number) => object[];
  plain: (n: number, dir: string) => string[];
  /** The directives of nginx for each stream. */
  nginx?: string;
}

export async function startPeers(dir: string, carrier: Carrier, one: CopyCase): Promise<Peers> {
  const ends: End[] = [];
  const scene = { clip: clipOf3Megabits(join(dir, 'clip.mp4')), dir, carrier, streams: one.streams, ends };
  const from = await SOURCES[one.source](scene);
  const to: Destination = await DESTINATIONS[one.destination](scene);
  return {
    channel: from.of,
    publishings: to.of,
    plainArgs: (n, folder) => [...from.plain(n), '-c', 'copy', ...to.plain(n, folder)],
    nginx: { port: from.port, work: to.nginx ?? '' },
    async dispose() {
      for (const end of ends.reverse()) await end();
    },
  };
}

interface Scene {
  clip: string;
  dir: string;
  carrier: Carrier;
  streams: number;
  ends: End[];
}

function ffmpeg({ ends }: Scene, args: readonly string[]): ChildProcess {
  const child = spawn('ffmpeg', ['-v', 'error', '-nostdin', ...args], { stdio: 'ignore' });
  ends.push(() => void child.kill('SIGKILL'));
  return child;
}

function ports(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, freePort));
}

function clipOf3Megabits(path: string): string {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=1280x720:rate=30:duration=8'];
  const sound = ['-f', 'lavfi', '-i', 'sine=sample_rate=48000:duration=8'];
  const rate = ['-b:v', '2900k', '-maxrate', '2900k', '-bufsize', '2900k', '-g', '60'];
  const coding = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', ...rate, '-c:a', 'aac'];
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...picture, ...sound, ...coding, '-shortest', path]);
  return path;
}

const SOURCES: Record<CopyCase['source'], (scene: Scene) => Promise<Source>> = {
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
  /** Twenty encoders publish. A plain ffmpeg pulls, since as a server it leaves them at chunks of 128 bytes. */
  async 'RTMP push'(scene) {
    if (scene.carrier === 'ffmpeg') return SOURCES.RTMP(scene);
    const port = await freePort();
    for (let n = 0; n < scene.streams; n += 1)
      scene.ends.push(startCaller([...live(scene.clip), '-f', 'flv', `rtmp://127.0.0.1:${port}/live/${keyOf(n)}`]));
    const settings = (n: number): object => ({ app: 'live', stream_key: keyOf(n), port });
    return { of: (n) => ({ type: 'RTMP-Push', settings: settings(n) }), plain: () => [], port };
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
    for (const port of to)
      scene.ends.push(startCaller([...live(scene.clip), '-f', 'mpegts', `srt://127.0.0.1:${port}`]));
    return {
      of: (n) => ({ type: 'SRT', settings: { mode: 'listener', host: '127.0.0.1', port: to[n] } }),
      plain: (n) => ['-i', `srt://127.0.0.1:${to[n]}?mode=listener`],
    };
  },
};

/** The key under which the `n`-th encoder publishes, which nginx names its playlist by. */
const keyOf = (n: number): string => `stream-key-${n}`;

const SEGMENTS = ['-hls_time', '6', '-hls_list_size', '6', '-hls_flags', 'delete_segments'];
const HLS = (dir: string): string => `hls on; hls_path ${dir}; hls_fragment 6s; hls_playlist_length 36s;`;

/** `-f tee` of one ffmpeg: the muxers, each with its options and its target. */
const tee = (...outputs: readonly string[]): string[] => ['-map', '0', '-f', 'tee', outputs.join('|')];

const DESTINATIONS = {
  async 'HLS / TS'({ dir }: Scene) {
    return {
      of: () => [{ type: 'HLS / TS' }],
      plain(_: number, folder: string) {
        mkdirSync(folder);
        return ['-f', 'hls', ...SEGMENTS, `${folder}/i.m3u8`];
      },
      nginx: HLS(dir),
    };
  },
  async CMAF() {
    return {
      of: () => [{ type: 'CMAF' }],
      plain(_: number, folder: string) {
        mkdirSync(folder);
        return ['-f', 'hls', '-hls_segment_type', 'fmp4', ...SEGMENTS, `${folder}/i.m3u8`];
      },
    };
  },
  async 'CMAF, low latency'() {
    return {
      of: () => [{ type: 'CMAF', settings: { low_latency: true } }],
      plain(_: number, folder: string) {
        mkdirSync(folder);
        return ['-f', 'dash', '-ldash', '1', '-streaming', '1', '-seg_duration', '6', `${folder}/i.mpd`];
      },
    };
  },
  async RTMP({ ends }: Scene) {
    const server = await startRtmp();
    ends.push(() => server.dispose());
    return {
      of: (n: number) => [{ type: 'RTMP', settings: { url: server.url, stream_key: `ours-${n}` } }],
      plain: (n: number) => ['-f', 'flv', `${server.url}/plain-${n}`],
    };
  },
  async SRT(scene: Scene) {
    const to = await ports(scene.streams);
    for (const port of to)
      ffmpeg(scene, ['-i', `srt://127.0.0.1:${port}?mode=listener`, '-c', 'copy', '-f', 'null', '-']);
    return {
      of: (n: number) => [{ type: 'SRT', settings: { url: `srt://127.0.0.1:${to[n]}` } }],
      plain: (n: number) => ['-f', 'mpegts', `srt://127.0.0.1:${to[n]}`],
    };
  },
  async Record() {
    return {
      of: () => [{ type: 'Record' }],
      plain: (_: number, folder: string) => [
        '-y',
        '-bsf:a',
        'aac_adtstoasc',
        '-movflags',
        '+frag_keyframe+empty_moov+default_base_moof',
        '-f',
        'mp4',
        `${folder}.mp4`,
      ],
    };
  },
  /** The work of a small station: its own site, two platforms and a Recording. */
  async 'HLS / TS, two RTMP and Record'({ dir, ends }: Scene) {
    const servers = await Promise.all([startRtmp(), startRtmp()]);
    ends.push(async () => void (await Promise.all(servers.map((server) => server.dispose()))));
    const platforms = (n: number): object[] =>
      servers.map(({ url }) => ({ type: 'RTMP', settings: { url, stream_key: keyOf(n) } }));
    return {
      of: (n: number) => [{ type: 'HLS / TS' }, ...platforms(n), { type: 'Record' }],
      plain(n: number, folder: string) {
        mkdirSync(folder);
        const hls = `[f=hls:hls_time=6:hls_list_size=6:hls_flags=delete_segments]${folder}/i.m3u8`;
        const record = `[f=mp4:movflags=+frag_keyframe+empty_moov+default_base_moof]${folder}/r.mp4`;
        return tee(hls, ...servers.map(({ url }) => `[f=flv]${url}/${keyOf(n)}`), record);
      },
      nginx: `${HLS(dir)} ${servers.map(({ url }) => `push ${url};`).join(' ')} record all; record_path ${dir};`,
    };
  },
} satisfies Record<string, (scene: Scene) => Promise<Destination>>;

async function published(scene: Scene): Promise<string> {
  const server = await startRtmp();
  scene.ends.push(() => server.dispose());
  ffmpeg(scene, [...live(scene.clip), '-f', 'flv', `${server.url}/live`]);
  await until('the stream', async () => (await server.publishing()).includes('live'));
  return `${server.url}/live`;
}
