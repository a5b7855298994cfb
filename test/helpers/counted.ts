/** A clip whose every picture carries its number, and what a recording of it says: which pictures came, when, and where the sound is. */
import { execFileSync, spawnSync } from 'node:child_process';
import { madeOnce } from './made-once.ts';

export const COUNTED_FPS = 30;
export const WIDTH = 320;
export const HEIGHT = 180;
const BITS = 12;
const CELL = 32;
const PER_ROW = 6;
/** Below the numbers, so that they are never mistaken for picture: a field that changes. */
const TOP = 40;
const MAX_BYTES = 1 << 30;
const PASSED_THROUGH = ['-map', '0:v:0', '-vsync', 'passthrough'];
const GREY = `scale=${WIDTH}:${HEIGHT},format=gray`;
const DETECTED_BEEPS = ['-map', '0:a:0', '-af', 'silencedetect=noise=-30dB:duration=0.25', '-f', 'null', '-'];

/** Up to 4096 pictures (136 s); a beep of 100 ms begins with every thirtieth. Of so many pictures one is a keyframe. */
export function makeCountedClip(path: string, pictures: number, keyframeEach = COUNTED_FPS): string {
  return madeOnce(path, ['counted', pictures, keyframeEach], (target) => encodeCounted(target, pictures, keyframeEach));
}

function encodeCounted(path: string, pictures: number, keyframeEach: number): void {
  const frames = Buffer.alloc(pictures * WIDTH * HEIGHT, 60);
  for (let n = 0; n < pictures; n += 1) drawNumber(frames.subarray(n * WIDTH * HEIGHT, (n + 1) * WIDTH * HEIGHT), n);
  const seconds = pictures / COUNTED_FPS;
  const beep = `aevalsrc='if(lt(mod(t\\,1)\\,0.1)\\,0.5*sin(2*PI*1000*t)\\,0)':s=48000:d=${seconds}`;
  const picture = [
    '-f',
    'rawvideo',
    '-pix_fmt',
    'gray',
    '-s',
    `${WIDTH}x${HEIGHT}`,
    '-r',
    String(COUNTED_FPS),
    '-i',
    '-',
  ];
  const keyframes = ['-g', String(keyframeEach)];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', ...keyframes, '-c:a', 'aac'];
  const args = ['-nostdin', '-v', 'error', '-y', ...picture, '-f', 'lavfi', '-i', beep, ...coding, path];
  const { status, stderr } = spawnSync('ffmpeg', args.slice(1), { input: frames, maxBuffer: MAX_BYTES });
  if (status !== 0) throw new Error(`The clip was not made: ${stderr.toString()}`);
}

function drawNumber(frame: Buffer, n: number): void {
  for (let bit = 0; bit < BITS; bit += 1) {
    if (((n >> bit) & 1) === 0) continue;
    const left = 16 + (bit % PER_ROW) * 48;
    const top = TOP + Math.floor(bit / PER_ROW) * 48;
    for (let y = top; y < top + CELL; y += 1) frame.fill(230, y * WIDTH + left, y * WIDTH + left + CELL);
  }
}

/** The numbers of the pictures that decode, in their order; `undefined` for one that carries none, e.g. a slate. */
export function numbersIn(input: string, options: readonly string[] = []): (number | undefined)[] {
  const grey = [...PASSED_THROUGH, '-vf', GREY, '-f', 'rawvideo', '-'];
  const args = ['-nostdin', '-v', 'error', ...options, '-i', input, ...grey];
  return numbersOf(spawnSync('ffmpeg', args, { maxBuffer: MAX_BYTES }).stdout);
}

function numbersOf(frames: Buffer): (number | undefined)[] {
  const size = WIDTH * HEIGHT;
  return Array.from({ length: Math.floor(frames.length / size) }, (_, n) =>
    readNumber(frames.subarray(n * size, (n + 1) * size)),
  );
}

/** The size of a grey picture, 320x180. */
export function readNumber(frame: Buffer): number | undefined {
  // The field around the cells is grey; on a slate, black or another picture it is not.
  if (Math.abs(level(frame, 4, 4) - 60) > 25 || Math.abs(level(frame, WIDTH - 12, HEIGHT - 12) - 60) > 25)
    return undefined;
  let n = 0;
  for (let bit = 0; bit < BITS; bit += 1) {
    const left = 16 + (bit % PER_ROW) * 48 + 12;
    const top = TOP + Math.floor(bit / PER_ROW) * 48 + 12;
    if (level(frame, left, top) > 145) n |= 1 << bit;
  }
  return n;
}

/** Mean of 8 × 8 pixels. */
export function level(frame: Buffer, left: number, top: number): number {
  let sum = 0;
  for (let y = top; y < top + 8; y += 1) for (let x = left; x < left + 8; x += 1) sum += frame[y * WIDTH + x]!;
  return sum / 64;
}

export interface Flow {
  pictures: number;
  /** Pictures that are missing between two that follow each other. */
  missing: number;
  /** Pictures that came twice, one after the other. */
  repeated: number;
}

/**
 * How the numbers follow each other. The wrap of a clip of `length` pictures is no gap, and its last picture may stand there for one more:
 * the sound of a clip is a little longer.
 */
export function flowOf(numbers: readonly (number | undefined)[], length: number): Flow {
  const flow: Flow = { pictures: numbers.length, missing: 0, repeated: 0 };
  for (const [at, n] of numbers.entries()) {
    const before = numbers[at - 1];
    if (at === 0 || n === undefined || before === undefined) continue;
    const isSeam = n === length - 1 && numbers[at + 1] === 0;
    if (n === before) flow.repeated += isSeam ? 0 : 1;
    else flow.missing += (n - before - 1 + length) % length;
  }
  return flow;
}

/** Presentation times of the first video stream's packets, in order, seconds. */
export function timesIn(input: string): number[] {
  const show = ['-select_streams', 'v:0', '-show_entries', 'packet=pts_time', '-of', 'csv=p=0'];
  const text = execFileSync('ffprobe', ['-v', 'error', ...show, input], { encoding: 'utf8', maxBuffer: MAX_BYTES });
  const times = text
    .split('\n')
    .map((line) => Number.parseFloat(line))
    .filter((time) => !Number.isNaN(time));
  return times.sort((a, b) => a - b);
}

/** The longest step between two pictures that follow each other, seconds. */
export function longestStep(times: readonly number[]): number {
  return Math.max(0, ...times.slice(1).map((time, at) => time - times[at]!));
}

/**
 * How far each beep is from its picture in the recording, in seconds; positive: the sound is late. The first and last second do not
 * count, where one of the two may be cut off; nor does a flash beside pictures that are held or left out, where a source is lost or joined.
 */
export function soundOffsets({ pictures, times, beeps }: Timeline): number[] {
  const isSteady = (at: number): boolean =>
    Array.from({ length: 21 }, (_, near) => near - 10).every((by) => pictures[at + by] === pictures[at]! + by);
  const flashes = times.filter(
    (_, at) => pictures[at] !== undefined && pictures[at]! % COUNTED_FPS === 0 && isSteady(at),
  );
  return flashes.slice(1, -1).flatMap((at) => {
    const nearest = beeps.reduce((best, beep) => (Math.abs(beep - at) < Math.abs(best - at) ? beep : best), Infinity);
    return Math.abs(nearest - at) < 0.5 ? [nearest - at] : [];
  });
}

export interface Timeline {
  /** The numbers of the pictures that decode; packets before the first keyframe do not. */
  pictures: (number | undefined)[];
  /** The presentation times of these pictures, seconds. */
  times: number[];
  /** The times at which sound begins after silence, seconds. */
  beeps: number[];
}

/** Pictures and sound of a recording, from one reading: a start of ffmpeg takes as long as some seconds of these pictures. */
export function timelineOf(input: string, options: readonly string[] = []): Timeline {
  const grey = [...PASSED_THROUGH, '-vf', `showinfo=checksum=0,${GREY}`, '-f', 'rawvideo', '-'];
  const args = ['-nostdin', '-hide_banner', '-nostats', '-copyts', ...options, '-i', input, ...grey, ...DETECTED_BEEPS];
  const { stdout, stderr } = spawnSync('ffmpeg', args, { maxBuffer: MAX_BYTES });
  const text = stderr.toString();
  const [, numerator, denominator] = /config in time_base: (\d+)\/(\d+)/u.exec(text) ?? [];
  const tick = Number(numerator) / Number(denominator);
  // The seconds beside them have six digits, too few where the clock began long ago.
  const times = [...text.matchAll(/ n: *\d+ pts: *(-?\d+) /gu)].map(([, ticks]) => Number(ticks) * tick);
  return { pictures: numbersOf(stdout), times, beeps: beepsOf(text) };
}

/** The times at which sound begins after silence, on the recording's own time line. */
export function beepsIn(input: string): number[] {
  const args = ['-nostdin', '-copyts', '-i', input, ...DETECTED_BEEPS];
  return beepsOf(spawnSync('ffmpeg', args, { encoding: 'utf8' }).stderr);
}

function beepsOf(text: string): number[] {
  return [...text.matchAll(/silence_end: ([\d.]+)/gu)].map(([, seconds]) => Number(seconds));
}
