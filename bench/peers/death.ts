/** The process that carries a relay of RTMP is killed, while the encoder dials again a second after each end of its connection: how long nothing comes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { areOnAir, runners, start } from '../../test/helpers/copies.ts';
import { longestStep } from '../../test/helpers/counted.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { makeClip, startService } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';
import { rtmpSink } from '../../test/device/runner/rtmp-sink.ts';
import type { TestScope } from '../../test/helpers/clean-up.ts';
import { sleepSeconds } from '../copy/use.ts';
import { startNginx } from './nginx.ts';

const KEY = 'stream-key';
const BEFORE_SECONDS = 5;
/** A stream that has not come back by then does not. */
export const AFTER_SECONDS = 20;
const DIAL_AGAIN_MS = 1000;
const COPY = { settings_video: { codec: 'copy' }, settings_audio: { codec: 'copy' } };

export interface Carrier {
  /** The encoder publishes there. */
  url: string;
  /** Begins what needs an encoder. */
  start?(): Promise<void>;
  kill(): void;
}

/** Answers the seconds; `carry` takes the port of the server that the stream is relayed to. */
export async function silenceOf(
  t: TestScope,
  dir: string,
  carry: (t: TestScope, dir: string, target: number) => Promise<Carrier>,
): Promise<number> {
  const arrivals: number[] = [];
  const sink = await rtmpSink(t, undefined, ({ type }) => type === 9 && arrivals.push(performance.now() / 1000));
  const carrier = await carry(t, dir, sink.port);
  encode(t, makeClip(join(dir, 'clip.mp4'), 8, '640x360'), carrier.url);
  await carrier.start?.();
  await until('pictures', () => arrivals.length > 0);
  await sleepSeconds(BEFORE_SECONDS);
  arrivals.splice(0, arrivals.length - 1);
  carrier.kill();
  await sleepSeconds(AFTER_SECONDS);
  return longestStep([...arrivals, performance.now() / 1000]);
}

function encode(t: TestScope, clip: string, url: string): void {
  let [child, isOver]: [ChildProcess | undefined, boolean] = [undefined, false];
  const args = ['-v', 'error', '-nostdin', '-re', '-stream_loop', '-1', '-i', clip, '-c', 'copy', '-f', 'flv', url];
  const dial = (): void => {
    if (isOver) return;
    child = spawn('ffmpeg', args, { stdio: 'ignore' });
    child.once('exit', () => setTimeout(dial, DIAL_AGAIN_MS).unref());
  };
  dial();
  t.after(() => {
    isOver = true;
    child?.kill('SIGKILL');
  });
}

export async function ourCarrier(t: TestScope, _: string, target: number): Promise<Carrier> {
  const service = await startService();
  t.after(() => service.dispose());
  const port = await freePort();
  const settings = { app: 'live', stream_key: KEY, port };
  const to = { url: `rtmp://127.0.0.1:${target}/live`, stream_key: KEY };
  const id = await service.create('/livestreams', {
    name: 'relay',
    channelId: await service.create('/channels', { name: 'encoder', type: 'RTMP-Push', settings }),
    encodingId: await service.create('/encodings', { name: 'copy', ...COPY }),
    publishingId: await service.create('/publishings', { name: 'platform', type: 'RTMP', settings: to }),
  });
  return {
    url: `rtmp://127.0.0.1:${port}/live/${KEY}`,
    async start() {
      await start(service, [id]);
      await until('on air', () => areOnAir(service, [id]));
    },
    kill: () => void process.kill(runners(service).get(id)!.pid, 'SIGKILL'),
  };
}

export async function plainCarrier(t: TestScope, _: string, target: number): Promise<Carrier> {
  const url = `rtmp://127.0.0.1:${await freePort()}/live/${KEY}`;
  const output = ['-c', 'copy', '-f', 'flv', `rtmp://127.0.0.1:${target}/live/${KEY}`];
  const child = spawn('ffmpeg', ['-v', 'error', '-nostdin', '-listen', '1', '-i', url, ...output], { stdio: 'ignore' });
  t.after(() => void child.kill('SIGKILL'));
  // ffmpeg takes one connection alone, so that nobody can ask whether it listens.
  await sleepSeconds(1);
  return { url, kill: () => void child.kill('SIGKILL') };
}

export async function nginxCarrier(t: TestScope, dir: string, target: number): Promise<Carrier> {
  const nginx = await startNginx(dir, { work: `push rtmp://127.0.0.1:${target}/live;` });
  t.after(() => nginx.end());
  const kill = (): void => void process.kill(nginx.worker(), 'SIGKILL');
  return { url: `rtmp://127.0.0.1:${nginx.port}/live/${KEY}`, kill };
}
