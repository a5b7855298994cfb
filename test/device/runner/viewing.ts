/** The files that a viewer of the test's HLS Destination gets. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { liveDir } from '../../../device/run-dir.ts';
import { LIVESTREAM_ID } from './specs.ts';

/** The segments of HLS Destination 21, rendition 11, in order. */
export function rendered(dir: string): string[] {
  const folderOf = join(liveDir(dir, LIVESTREAM_ID, 21), '11');
  const number = (name: string): number => Number.parseInt(name, 10);
  return readdirSync(folderOf)
    .filter((name) => name.endsWith('.ts'))
    .sort((a, b) => number(a) - number(b))
    .map((name) => join(folderOf, name));
}

/** Mean brightness of the last picture: the slate is dark, the test picture is not. */
export function lastBrightness(path: string): number {
  const text = execFileSync(
    'ffprobe',
    [
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      `movie=${path},signalstats`,
      '-show_entries',
      'frame_tags=lavfi.signalstats.YAVG',
      '-of',
      'csv=p=0',
    ],
    { encoding: 'utf8' },
  );
  return Number(text.trim().split('\n').at(-1)!.replace(/,$/u, ''));
}

/** Mean volume in dB; -91 is silence, NaN no sound at all. */
export function loudness(path: string): number {
  const result = execFileSync(
    'sh',
    ['-c', 'ffmpeg -hide_banner -i "$0" -vn -af volumedetect -f null - 2>&1; true', path],
    {
      encoding: 'utf8',
    },
  );
  return Number(/mean_volume: (-?[\d.]+|-inf) dB/u.exec(result)?.[1]?.replace('-inf', '-91') ?? 'NaN');
}
