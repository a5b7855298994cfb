/** The picture and sound that viewers of the test's HLS Destination get, picture by picture. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rendered } from './viewing.ts';

export const WIDTH = 320;
export const HEIGHT = 180;
const FRAME = (WIDTH * HEIGHT * 3) / 2;
const MAX_BYTES = 1 << 30;
/** A few seconds of small pictures take less than one. */
const DECODE_MS = 30_000;

/** Mean of Y', Cb and Cr. */
export type Colour = [number, number, number];

export class Screen {
  private readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** The mean colour of a box with even sides on even pixels. */
  colour(left: number, top: number, width: number, height: number): Colour {
    const mean = (plane: number, stride: number, scale: number): number => {
      let sum = 0;
      for (let y = top / scale; y < (top + height) / scale; y += 1)
        for (let x = left / scale; x < (left + width) / scale; x += 1) sum += this.bytes[plane + y * stride + x]!;
      return (sum * scale * scale) / (width * height);
    };
    const luma = WIDTH * HEIGHT;
    return [mean(0, WIDTH, 1), mean(luma, WIDTH / 2, 2), mean(luma * 1.25, WIDTH / 2, 2)];
  }

  /** The brightest pixel of a box: letters are narrower than any mean. */
  brightest(left: number, top: number, width: number, height: number): number {
    let most = 0;
    for (let y = top; y < top + height; y += 1)
      for (let x = left; x < left + width; x += 1) most = Math.max(most, this.bytes[y * WIDTH + x]!);
    return most;
  }
}

/** Every picture of a file of the right size. */
export function screens(input: string): Screen[] {
  const args = ['-nostdin', '-v', 'error', '-i', input, '-map', '0:v:0', '-fps_mode', 'passthrough'];
  const { stdout, status, signal, stderr } = spawnSync(
    'ffmpeg',
    [...args, '-pix_fmt', 'yuv420p', '-f', 'rawvideo', '-'],
    {
      maxBuffer: MAX_BYTES,
      timeout: DECODE_MS,
      killSignal: 'SIGKILL',
    },
  );
  if (status !== 0) throw new Error(`${input} was not decoded (${status ?? signal}): ${stderr.toString()}`);
  return Array.from(
    { length: Math.floor(stdout.length / FRAME) },
    (_, n) => new Screen(stdout.subarray(n * FRAME, (n + 1) * FRAME)),
  );
}

/** All that viewers have got so far, or these segments of it, in one file. */
export function broadcast(dir: string, from = 0, to?: number): string {
  const path = join(dir, `broadcast-${from}-${to ?? 'end'}.ts`);
  writeFileSync(
    path,
    Buffer.concat(
      rendered(dir)
        .slice(from, to)
        .map((segment) => readFileSync(segment)),
    ),
  );
  return path;
}

/** The loudest sample, in dB of full scale; -91 is silence. */
export function loudest(input: string): number {
  const args = ['-nostdin', '-v', 'info', '-i', input, '-map', '0:a:0', '-af', 'volumedetect', '-f', 'null', '-'];
  const { stderr } = spawnSync('ffmpeg', args, { encoding: 'utf8', timeout: DECODE_MS, killSignal: 'SIGKILL' });
  return Number(/max_volume: (-?[\d.]+) dB/u.exec(stderr)?.[1] ?? Number.NaN);
}

/** A logo of one colour, and transparent where `x` (of its width) is above 0.75. */
export function makeLogo(path: string, width: number, height: number, [r, g, b]: Colour): string {
  const shape = `geq=r=${r}:g=${g}:b=${b}:a='if(lt(X,${width * 0.75}),255,0)'`;
  const args = ['-v', 'error', '-y', '-f', 'lavfi', '-i', `color=s=${width}x${height},format=rgba,${shape}`];
  execFileSync('ffmpeg', [...args, '-frames:v', '1', path], { timeout: DECODE_MS });
  return path;
}

/** Without a value that follows itself. */
export function sequence<T>(values: readonly T[]): T[] {
  return values.filter((value, at) => at === 0 || value !== values[at - 1]);
}
