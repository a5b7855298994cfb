/** Two sources of counted pictures over UDP, the first of which gets faults on purpose, and what viewers get of a run of both. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { RunEvent } from '../../../domain/run.ts';
import { failoverField, type Failover, type FailoverCause } from '../../../domain/failover.ts';
import type { Attempt } from '../../helpers/attempts.ts';
import { COUNTED_FPS, makeCountedClip } from '../../helpers/counted.ts';
import { freePort } from '../../helpers/ports.ts';
import { feed, type Feeder } from './feeder.ts';
import { folder, startRunner, type TestRunner } from './runner-fixture.ts';
import { receiver } from './standstill.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';

export const [FIRST, BACKUP] = [31, 32];
/** Pictures of each source; the backup counts on where the first ends. */
export const PICTURES = 1500;

/** Seconds of the first source in which something is wrong with it. */
export interface Fault {
  cause: Exclude<FailoverCause, 'loss'>;
  from: number;
  to: number;
}

export interface CountedPair {
  dir: string;
  runner: TestRunner;
  first: Feeder;
  again(): Feeder;
  failovers(): RunEvent[];
  /** When the first source sent its picture of this number, ms since 1970. */
  sentAt(picture: number): number;
}

export async function countedPair(t: Attempt, options: Partial<Failover>, faults: Fault[] = []): Promise<CountedPair> {
  const dir = folder(t);
  const whole = makeCountedClip(join(dir, 'whole.mp4'), 2 * PICTURES);
  const clips = [piece(dir, whole, 0, faults), piece(dir, whole, 1, [])];
  const ports = [await freePort(), await freePort()];
  const seen = await receiver(t);
  const own = (i: number): string[] => ['-f', 'mpegts', `udp://127.0.0.1:${ports[i]}?pkt_size=1316`];
  // What the first source sends is also looked at here.
  const copy = ['-c', 'copy', '-f', 'mpegts', `${seen.url}?pkt_size=1316`];
  const send = (i: number): Feeder => feed(t, clips[i]!, ...own(i), ...(i === 0 ? copy : []));
  const udp = (channelId: number, i: number) => ({
    ...source('Stream', { url: `udp://127.0.0.1:${ports[i]}` }),
    channelId,
    name: `Channel ${channelId}`,
  });
  const renditions = [rendition(11, 320, 180, 400, QUICK.rendition)];
  const outputs = [output(21, 'HLS / TS', QUICK.output)];
  const spec = {
    ...runSpec('pair', udp(FIRST, 0), outputs, { renditions, startTimeoutSeconds: 25 }),
    backup: udp(BACKUP, 1),
    pair: { first: FIRST, backup: BACKUP },
    failover: failoverField.parse(options),
  };
  const first = send(0);
  send(1);
  const runner = startRunner(t, dir, spec);
  const failovers = (): RunEvent[] => runner.events().filter(({ kind }) => kind === 'failover');
  const sentAt = (picture: number): number => {
    const { times, delays } = seen.viewed();
    return performance.timeOrigin + delays[picture]! + 1000 * times[picture]!;
  };
  return { dir, runner, sentAt, first, again: () => send(0), failovers };
}

/** One half of the clip with its faults. Under the beeps is a hum, so that the source is silent only where it has that fault. */
function piece(dir: string, whole: string, half: number, faults: Fault[]): string {
  const path = join(dir, `half-${half}.mp4`);
  const frames = ({ from, to }: Fault): [number, number] => [from * COUNTED_FPS, to * COUNTED_FPS - 1];
  const seconds = PICTURES / COUNTED_FPS;
  let graph = `[0:v]trim=start_frame=${half * PICTURES}:end_frame=${(half + 1) * PICTURES},setpts=PTS-STARTPTS[v0]`;
  let last = 'v0';
  for (const [i, fault] of faults.entries()) {
    if (fault.cause === 'silent') continue;
    const [begin, end] = frames(fault);
    const next = `v${i + 1}`;
    graph +=
      fault.cause === 'black'
        ? `;[${last}]drawbox=t=fill:color=black:enable='between(n,${begin},${end})'[${next}]`
        : `;[${last}]split[a${i}][b${i}];[a${i}][b${i}]freezeframes=first=${begin}:last=${end}:replace=${begin}[${next}]`;
    last = next;
  }
  const silent = faults.filter(({ cause }) => cause === 'silent').map(({ from, to }) => `between(t,${from},${to})`);
  const heard = silent.length === 0 ? '1' : `(1-min(1,${silent.join('+')}))`;
  const sound = `aevalsrc='${heard}*(0.005*sin(2*PI*200*t)+0.5*lt(mod(t,1),0.1)*sin(2*PI*1000*t))':s=48000:d=${seconds}`;
  const coding = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-bf',
    '0',
    '-g',
    '30',
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    'aac',
  ];
  const inputs = ['-i', whole, '-f', 'lavfi', '-i', sound];
  const args = ['-filter_complex', graph, '-map', `[${last}]`, '-map', '1:a', ...coding, path];
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', ...inputs, ...args]);
  return path;
}
