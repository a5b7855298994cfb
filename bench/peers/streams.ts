/** Encoders that publish by RTMP, whose streams become HLS without being encoded again: what each costs, by each peer. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { areOnAir, start } from '../../test/helpers/copies.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { makeClip, processesOf, startService } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';
import { sleepSeconds, useOf, type Use } from '../copy/use.ts';
import { startNginx } from './nginx.ts';

export const STREAMS = 10;
export const SEGMENT_SECONDS = 6;
const SETTLE_SECONDS = 15;
const MEASURED_SECONDS = 15;
const COPY = { settings_video: { codec: 'copy' }, settings_audio: { codec: 'copy' } };

const keys = Array.from({ length: STREAMS }, (_, n) => `stream-key-${n}`);
const each = ({ megabytes, percent }: Use): Use => ({ megabytes: megabytes / STREAMS, percent: percent / STREAMS });

function ffmpeg(args: readonly string[]): ChildProcess {
  return spawn('ffmpeg', ['-v', 'error', '-nostdin', ...args], { stdio: 'ignore' });
}

/** They are nobody's cost. */
function encoders(dir: string, urls: readonly string[]): ChildProcess[] {
  const clip = makeClip(join(dir, 'clip.mp4'), 8, '640x360');
  return urls.map((url) => ffmpeg(['-re', '-stream_loop', '-1', '-i', clip, '-c', 'copy', '-f', 'flv', url]));
}

async function measured(pids: readonly number[]): Promise<Use> {
  await sleepSeconds(SETTLE_SECONDS);
  return useOf(pids, MEASURED_SECONDS);
}

function kill(children: readonly ChildProcess[]): void {
  for (const child of children) child.kill('SIGKILL');
}

export async function plainStreams(dir: string): Promise<Use> {
  const ports = await Promise.all(keys.map(freePort));
  const urls = keys.map((key, n) => `rtmp://127.0.0.1:${ports[n]}/live/${key}`);
  const hls = ['-f', 'hls', '-hls_time', String(SEGMENT_SECONDS), '-hls_list_size', '6'];
  const children = urls.map((url, n) => {
    mkdirSync(join(dir, String(n)));
    const list = join(dir, String(n), 'index.m3u8');
    return ffmpeg(['-listen', '1', '-i', url, '-c', 'copy', ...hls, '-hls_flags', 'delete_segments', list]);
  });
  // ffmpeg takes one connection alone, so that nobody can ask whether it listens.
  await sleepSeconds(2);
  const sending = encoders(dir, urls);
  try {
    const use = await measured(children.map(({ pid }) => pid!));
    if (children.some(({ exitCode }) => exitCode !== null)) throw new Error('A plain ffmpeg has ended.');
    return each(use);
  } finally {
    kill([...sending, ...children]);
  }
}

export async function nginxStreams(dir: string): Promise<Use> {
  const nginx = await startNginx(dir, { seconds: SEGMENT_SECONDS });
  const sending = encoders(
    dir,
    keys.map((key) => `rtmp://127.0.0.1:${nginx.port}/live/${key}`),
  );
  try {
    const use = await measured(nginx.pids());
    if (!keys.every((key) => existsSync(join(nginx.lists, `${key}.m3u8`)))) throw new Error('A playlist is missing.');
    return each(use);
  } finally {
    kill(sending);
    await nginx.end();
  }
}

export async function ourStreams(dir: string): Promise<Use> {
  const service = await startService();
  let sending: ChildProcess[] = [];
  try {
    const pids = (): number[] => processesOf(service.scratch).map(({ pid }) => pid);
    const port = await freePort();
    const encodingId = await service.create('/encodings', { name: 'copy', ...COPY });
    const ids: number[] = [];
    for (const key of keys) {
      const settings = { app: 'live', stream_key: key, port };
      const channelId = await service.create('/channels', { name: key, type: 'RTMP-Push', settings });
      const publishingId = await service.create('/publishings', {
        name: key,
        type: 'HLS / TS',
        settings: { segment_duration: SEGMENT_SECONDS },
      });
      ids.push(await service.create('/livestreams', { name: key, channelId, encodingId, publishingId }));
    }
    const idle = await measured(pids());
    sending = encoders(
      dir,
      keys.map((key) => `rtmp://127.0.0.1:${port}/live/${key}`),
    );
    await start(service, ids);
    await until('all on air', () => areOnAir(service, ids));
    const busy = await measured(pids());
    return each({ megabytes: busy.megabytes - idle.megabytes, percent: busy.percent - idle.percent });
  } finally {
    kill(sending);
    await service.dispose();
  }
}
