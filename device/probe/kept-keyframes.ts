/** Pictures of coded keyframes, by an ffmpeg that ends with them. */
import { KEPT_WIDTH } from '../../domain/shapes/reports/kept-pictures.ts';
import { knownSandbox } from '../ffmpeg/trial.ts';
import { lastStillArgs } from '../media/arguments/still-args.ts';
import { runPiped } from './piped.ts';

const LIMIT_MS = 8000;
const START_OF_IMAGE = Buffer.from([0xff, 0xd8, 0xff]);

/** Answers a JPEG for each transport stream of one keyframe; undefined for one that does not decode. Never rejects. */
export async function decodedPictures(
  deviceDir: string,
  keyframes: readonly Buffer[],
): Promise<(Buffer | undefined)[]> {
  if (keyframes.length === 0) return [];
  const all = await jpegsOf(deviceDir, keyframes);
  if (all.length === keyframes.length) return all;
  if (keyframes.length === 1) return [undefined];
  // One of them is damaged, and nobody knows which.
  const each: (Buffer | undefined)[] = [];
  for (const keyframe of keyframes) each.push(...(await decodedPictures(deviceDir, [keyframe])));
  return each;
}

async function jpegsOf(deviceDir: string, keyframes: readonly Buffer[]): Promise<Buffer[]> {
  const options = { sandbox: await knownSandbox(deviceDir), limitMs: LIMIT_MS };
  const [, jpegs = Buffer.alloc(0)] = await runPiped(
    'ffmpeg',
    lastStillArgs(1, KEPT_WIDTH),
    Buffer.concat(keyframes),
    options,
  );
  const starts: number[] = [];
  // JPEG keeps FF D8 FF out of its own data.
  for (let at = jpegs.indexOf(START_OF_IMAGE); at >= 0; at = jpegs.indexOf(START_OF_IMAGE, at + 1)) starts.push(at);
  return starts.map((start, at) => jpegs.subarray(start, starts[at + 1]));
}
