/** Finds the peaks of the raw programme's sound, as sample peaks of the last second. */
import { SILENCE_DBFS, type Peaks } from '../../../domain/shapes/broadcasts/live-picture.ts';
import { samplesOf } from './samples.ts';

/** The parts of a second that leave one by one, so that a picture at any instant comes with the second before it. */
const PARTS = 10;
/** The feed shows left and right. */
const CHANNELS = 2;
const FULL_SCALE = 32_768;

export class PeakMeter {
  private readonly stride: number;
  private readonly offset: number;
  private readonly right: number;
  /** Highest values of each part, left and right in turn. */
  private readonly highest = new Uint16Array(PARTS * CHANNELS);
  private part = 0;

  /** The sound has so many channels, from `offset` on among the `stride` of an instant; mono is left and right. */
  constructor(stride = CHANNELS, offset = 0, channels = CHANNELS) {
    this.stride = stride;
    this.offset = offset;
    this.right = channels > 1 ? 1 : 0;
  }

  add(audio: Buffer): void {
    const samples = samplesOf(audio);
    let left = 0;
    let right = 0;
    for (let n = this.offset; n + this.right < samples.length; n += this.stride) {
      left = Math.max(left, Math.abs(samples[n]!));
      right = Math.max(right, Math.abs(samples[n + this.right]!));
    }
    const at = this.part * CHANNELS;
    this.highest[at] = Math.max(this.highest[at]!, left);
    this.highest[at + 1] = Math.max(this.highest[at + 1]!, right);
  }

  /** A tenth of a second is over: the oldest one counts no more. */
  advance(): void {
    this.part = (this.part + 1) % PARTS;
    this.highest.fill(0, this.part * CHANNELS, (this.part + 1) * CHANNELS);
  }

  get peaks(): Peaks {
    let [left, right] = [0, 0];
    for (let at = 0; at < this.highest.length; at += CHANNELS) {
      left = Math.max(left, this.highest[at]!);
      right = Math.max(right, this.highest[at + 1]!);
    }
    return [decibels(left), decibels(right)];
  }
}

function decibels(value: number): number {
  if (value === 0) return SILENCE_DBFS;
  // The sum turns -0 into 0.
  return Math.round(200 * Math.log10(value / FULL_SCALE)) / 10 + 0;
}
