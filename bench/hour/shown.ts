/** The pictures that an output shows of a source: by their numbers, and which of those that the source gave are missing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { HEIGHT, readNumber, WIDTH } from '../../test/helpers/counted.ts';
import { PICTURES } from './clip.ts';

export interface Shown {
  /** Pictures in their order, counted on over the ends of the clip. */
  numbers: number[];
  /** Pictures that carry no number: the slate. */
  others: number;
  /** Lines in which the decoder complained. */
  errors: number;
}

/** Reads without keeping pictures: an hour of them is ten gigabytes. */
async function shownIn(input: string): Promise<Shown> {
  const scale = `scale=${WIDTH}:${HEIGHT},format=gray`;
  const args = ['-nostdin', '-v', 'error', '-i', input, '-map', '0:v:0', '-vsync', 'passthrough', '-vf', scale];
  const child = spawn('ffmpeg', [...args, '-f', 'rawvideo', '-'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const shown: Shown = { numbers: [], others: 0, errors: 0 };
  child.stderr.on('data', (text: Buffer) => (shown.errors += text.toString().split('\n').length - 1));
  const size = WIDTH * HEIGHT;
  let rest: Buffer = Buffer.alloc(0);
  let turns = 0;
  let last: number | undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (; at + size <= rest.length; at += size) {
      const number = readNumber(rest.subarray(at, at + size));
      if (number === undefined) {
        shown.others += 1;
        continue;
      }
      if (last !== undefined && last - number > PICTURES / 2) turns += 1;
      last = number;
      shown.numbers.push(turns * PICTURES + number);
    }
    rest = rest.subarray(at);
  });
  await once(child, 'close');
  return shown;
}

/** Parts that follow each other. */
export async function shownInAll(inputs: readonly string[]): Promise<Shown> {
  const all: Shown = { numbers: [], others: 0, errors: 0 };
  for (const input of inputs) {
    const { numbers, others, errors } = await shownIn(input);
    const before = all.numbers.at(-1) ?? 0;
    const lap = Math.round((before - (numbers[0] ?? 0)) / PICTURES) * PICTURES;
    for (const number of numbers) all.numbers.push(number + Math.max(0, lap));
    all.others += others;
    all.errors += errors;
  }
  return all;
}

export interface Compared {
  given: number;
  missing: number;
  /** The first and the last number of each run of missing pictures. */
  gaps: [number, number][];
  /** The longest run of missing pictures. */
  longest: number;
  /** Pictures that stand for more than their time: held, or shown twice. */
  repeated: number;
  others: number;
  errors: number;
}

/** Between the first and the last picture that it shows. */
export function compare(given: ReadonlySet<number>, { numbers, others, errors }: Shown): Compared {
  const seen = new Set(numbers);
  const [first, last] = [numbers[0] ?? 0, numbers.at(-1) ?? 0];
  const wanted = [...given].filter((n) => n >= first && n <= last).sort((a, b) => a - b);
  const gaps: [number, number][] = [];
  for (const n of wanted) {
    const gap = gaps.at(-1);
    if (seen.has(n)) continue;
    if (gap?.[1] === n - 1) gap[1] = n;
    else gaps.push([n, n]);
  }
  const sizes = gaps.map(([from, to]) => to - from + 1);
  const missing = sizes.reduce((sum, size) => sum + size, 0);
  const longest = Math.max(0, ...sizes);
  return { given: wanted.length, missing, gaps, longest, repeated: numbers.length - seen.size, others, errors };
}
