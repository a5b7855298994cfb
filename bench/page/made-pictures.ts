/** Pictures as a runner makes them for the wall: some that differ, so that a browser decodes each anew. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const COUNT = 25;

/** JPEGs of 320 × 180. */
export function makePictures(scratch: string): Buffer[] {
  const folder = join(scratch, 'pictures');
  mkdirSync(folder);
  const film = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=5'];
  const jpegs = ['-frames:v', String(COUNT), '-pix_fmt', 'yuvj420p', '-q:v', '6', join(folder, '%d.jpg')];
  execFileSync('ffmpeg', ['-v', 'error', ...film, ...jpegs]);
  return readdirSync(folder).map((name) => readFileSync(join(folder, name)));
}
