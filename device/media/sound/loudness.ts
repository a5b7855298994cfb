/** Loudness by EBU R 128: momentary (400 ms), short-term (3 s) and integrated with its two gates (ITU-R BS.1770-5, EBU Tech 3341). */

/** A block of a tenth of a second: the gating blocks of 400 ms overlap by three quarters. */
const MOMENTARY_BLOCKS = 4;
const SHORT_TERM_BLOCKS = 30;
const OFFSET = -0.691;
const ABSOLUTE_GATE = -70;
const RELATIVE_GATE = -10;
/** Bins of gating blocks, each 0.05 LU wide: hours of them take no more room than a second. */
const BINS_PER_LU = 20;
const HIGHEST = 10;
const BINS = (HIGHEST - ABSOLUTE_GATE) * BINS_PER_LU;

export class Loudness {
  /** Mean square of each of the last blocks, summed over the channels with their weights. */
  private readonly blocks = new Float64Array(SHORT_TERM_BLOCKS);
  private count = 0;
  private readonly bins = { count: new Uint32Array(BINS), power: new Float64Array(BINS) };

  /** Takes the weighted mean square of the next tenth of a second. */
  add(meanSquare: number): void {
    this.blocks[this.count % SHORT_TERM_BLOCKS] = meanSquare;
    this.count += 1;
    const power = this.mean(MOMENTARY_BLOCKS);
    if (power === undefined) return;
    const level = lufs(power);
    if (level === null || level < ABSOLUTE_GATE) return;
    const bin = Math.min(BINS - 1, Math.floor((level - ABSOLUTE_GATE) * BINS_PER_LU));
    this.bins.count[bin]! += 1;
    this.bins.power[bin]! += power;
  }

  /** LUFS; null before there are 400 ms, and for digital silence. */
  get momentary(): number | null {
    return lufs(this.mean(MOMENTARY_BLOCKS));
  }

  /** LUFS; null before there are 3 s, and for digital silence. */
  get shortTerm(): number | null {
    return lufs(this.mean(SHORT_TERM_BLOCKS));
  }

  /** LUFS since the start; null until something was louder than the absolute gate. */
  get integrated(): number | null {
    const ungated = lufs(this.meanFrom(0));
    if (ungated === null) return null;
    const gate = Math.max(0, Math.floor((ungated + RELATIVE_GATE - ABSOLUTE_GATE) * BINS_PER_LU));
    return lufs(this.meanFrom(gate));
  }

  private mean(blocks: number): number | undefined {
    if (this.count < blocks) return undefined;
    let sum = 0;
    for (let back = 1; back <= blocks; back += 1) sum += this.blocks[(this.count - back) % SHORT_TERM_BLOCKS]!;
    return sum / blocks;
  }

  private meanFrom(bin: number): number | undefined {
    let [count, power] = [0, 0];
    for (let at = bin; at < BINS; at += 1) {
      count += this.bins.count[at]!;
      power += this.bins.power[at]!;
    }
    return count === 0 ? undefined : power / count;
  }
}

/** Returns the loudness of a weighted mean square; null for digital silence. */
export function lufs(power: number | undefined): number | null {
  return power === undefined || power <= 0 ? null : OFFSET + 10 * Math.log10(power);
}
