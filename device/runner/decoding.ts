/** Tells a source that is decoded too slowly from one that sends less: only the former has a decoder that wants a processor all the time. */
import { wantedNanoseconds } from './cpu-meter.ts';
import type { Decoded } from './encoder/lag.ts';
import type { SourceFormat } from './input/source-format.ts';

/** One thread that always computes, or waits for a processor, is what holds the others up. */
const BUSY_CORES = 0.9;

export class Decoding {
  private readonly read: typeof wantedNanoseconds;
  private before: { pid: number; atMs: number; nanoseconds: number } | undefined;

  constructor(read = wantedNanoseconds) {
    this.read = read;
  }

  /** It is called once a second. `pid` is the ffmpeg that takes in the source. */
  look(
    format: Pick<SourceFormat, 'seconds' | 'wanted'> | undefined,
    pid: number | undefined,
    nowMs: number,
  ): Decoded | undefined {
    const { before } = this;
    const nanoseconds = pid === undefined ? undefined : this.read(pid);
    this.before = nanoseconds === undefined ? undefined : { pid: pid!, atMs: nowMs, nanoseconds };
    const wanted = format?.wanted;
    if (format === undefined || wanted === undefined) return undefined;
    const isSame = before !== undefined && before.pid === pid && nanoseconds !== undefined;
    const isBusy = isSame && (nanoseconds - before.nanoseconds) / 1e6 >= BUSY_CORES * (nowMs - before.atMs);
    return { seconds: format.seconds, wanted, isBusy };
  }
}
