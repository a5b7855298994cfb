/** Measures how late pictures are behind a relay of RTMP, copied and encoded, beside one plain ffmpeg that does the same. */
import { alone, ours, plain } from './relays.ts';
import { bounded, median, percentile95, type Figure } from '../figures.ts';

const CASES = [
  { what: 'copied', copies: true, bar: 90 },
  { what: 'encoded at 720p25, veryfast and zerolatency', copies: false, bar: 250 },
];

export async function benchLatency(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { what, copies, bar } of CASES) {
    const [own, bare] = [await alone(ours, copies), await alone(plain, copies)];
    const note = `p95 ${percentile95(own).toFixed(0)} ms; plain ffmpeg ${median(bare).toFixed(0)} ms, p95 ${percentile95(bare).toFixed(0)}`;
    figures.push(bounded(`RTMP in to RTMP out, ${what}`, median(own), bar, 'ms', note));
  }
  return figures;
}
