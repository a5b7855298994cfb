/** Two sources of counted pictures over UDP, the first of which gets faults on purpose, and what viewers get of a run of both. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Failover, FailoverCause } from '../../../domain/shapes/broadcasts/failover.ts';
import type { OutputSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { TestScope } from '../../helpers/clean-up.ts';
import { COUNTED_FPS, makeCountedClip } from '../../helpers/counted.ts';
import { folder } from './runner-fixture.ts';
import { sourcePair, type SourcePair } from './source-pair.ts';
import { receiver } from './standstill.ts';
import { wordsOf } from '../../helpers/words.ts';

/** Pictures of each source; the backup counts on where the first ends. */
export const PICTURES = 1500;

/** Seconds of the first source in which something is wrong with it. */
export interface Fault {
  cause: Exclude<FailoverCause, 'loss'>;
  from: number;
  to: number;
}

export interface CountedPair extends SourcePair {
  dir: string;
  /** When the first source sent its picture of this number, ms since 1970. */
  sentAt(picture: number): number;
}

/** Black, frozen and silent for two seconds each, with three good ones between. */
export function faultsFrom(seconds: number): Fault[] {
  return (['black', 'frozen', 'silent'] as const).map((cause, n) => {
    const from = seconds + 5 * n;
    return { cause, from, to: from + 2 };
  });
}

interface CountedMore {
  /** Beside the HLS Destination 21. */
  outputs?: readonly OutputSpec[];
  /** The folder of the run; left out: a new one. */
  dir?: string;
}

export async function countedPair(
  t: TestScope,
  options: Partial<Failover>,
  faults: Fault[],
  { outputs = [], dir = folder(t) }: CountedMore = {},
): Promise<CountedPair> {
  const whole = makeCountedClip(join(dir, 'whole.mp4'), 2 * PICTURES);
  const clips = [piece(dir, whole, 0, faults), piece(dir, whole, 1, [])] as const;
  const seen = await receiver(t);
  // What the first source sends is also looked at here.
  const copy = ['-c', 'copy', '-f', 'mpegts', `${seen.url}?pkt_size=1316`];
  const pair = await sourcePair(t, dir, clips, options, { alsoFirst: copy, outputs });
  const sentAt = (picture: number): number => {
    const { times, delays } = seen.viewed();
    return performance.timeOrigin + delays[picture]! + 1000 * times[picture]!;
  };
  return { ...pair, dir, sentAt };
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
  const coding = wordsOf('-c:v libx264 -preset ultrafast -bf 0 -g 30 -pix_fmt yuv420p -c:a aac');
  const inputs = ['-i', whole, '-f', 'lavfi', '-i', sound];
  const args = ['-filter_complex', graph, '-map', `[${last}]`, '-map', '1:a', ...coding, path];
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', ...inputs, ...args]);
  return path;
}
