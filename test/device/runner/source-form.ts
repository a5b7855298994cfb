/** Sources of a known rate and shape, for runs that leave both to their source. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { RenditionSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { madeOnce } from '../../helpers/made-once.ts';
import { COUNTED_FPS, makeCountedClip } from '../../helpers/counted.ts';
import { QUICK, rendition } from './specs.ts';

export const PICTURES = 600;

/** Numbered pictures at this rate, with a beep at each thirtieth. `rate` is a number of pictures, or 30000/1001. */
export function countedAt(dir: string, rate: string): string {
  const counted = makeCountedClip(join(dir, 'counted.mp4'), PICTURES);
  const [num, den = 1] = rate.split('/').map(Number) as [number, number?];
  const period = (COUNTED_FPS * den) / num;
  const path = join(dir, `counted-${rate.replace('/', '-')}.mp4`);
  const beep = `aevalsrc='if(lt(mod(t\\,${period})\\,0.1)\\,0.5*sin(2*PI*1000*t)\\,0)':s=48000:d=${(PICTURES * period) / COUNTED_FPS}`;
  const args = [
    '-nostdin',
    '-v',
    'error',
    '-y',
    '-i',
    counted,
    '-f',
    'lavfi',
    '-i',
    beep,
    '-map',
    '0:v',
    '-map',
    '1:a',
  ];
  const timed = ['-vf', `settb=1/90000,setpts=N*90000*${den}/${num}`, '-fps_mode', 'vfr', '-r', rate];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  return madeOnce(path, ['counted at', rate, PICTURES], (target) =>
    execFileSync('ffmpeg', [...args, ...timed, ...coding, '-f', 'mp4', target]),
  );
}

/** A rendition that leaves its rate and its width to the source. */
export function openRendition(height = 180): RenditionSpec {
  return { ...rendition(11, 320, height, 400, QUICK.rendition), fpsOfSource: true, sideOfSource: 'width' };
}
