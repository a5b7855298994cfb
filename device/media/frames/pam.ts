/** Pictures in the PAM format of Netpbm, whose header says their size: what ffmpeg writes when it is asked for plain pixels. */
import type { Bitmap } from './overlay.ts';

const END = Buffer.from('ENDHDR\n');

/** Throws RangeError for what is no whole picture of four 8-bit channels. */
export function parsePam(bytes: Buffer): Bitmap {
  const end = bytes.indexOf(END);
  const head = bytes.toString('latin1', 0, Math.max(0, end));
  const field = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'mu').exec(head)?.[1]);
  const [width, height] = [field('WIDTH'), field('HEIGHT')];
  const data = bytes.subarray(end + END.length);
  const isWhole = data.length === width * height * 4 && data.length > 0;
  if (!head.startsWith('P7\n') || field('DEPTH') !== 4 || field('MAXVAL') !== 255 || !isWhole)
    throw new RangeError('The picture is not complete.');
  return { width, height, data };
}
