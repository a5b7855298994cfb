/** The rate of pictures, counted over their timestamps. */
import { nearestRate } from './usual-rate.ts';

/** So many pictures make a rate that is right to 0.05 % with timestamps in ms. */
const MAX_PICTURES = 300;
/** Fewer pictures in less time make no rate: a timestamp that is off by 1 ms would be an error of more than 0.25 %. */
const MIN_PICTURES = 8;
const MIN_MS = 400;
/** A timestamp that jumps by more begins a new count: the pusher has changed its clock. */
const MAX_STEP_MS = 2000;
/** The rates of the field. A count that could be one of them is taken for it. */
const USUAL = [24_000 / 1001, 24, 25, 30_000 / 1001, 30, 48, 50, 60_000 / 1001, 60, 100, 120_000 / 1001, 120];
/** Two rates of the field differ by a thousandth at least, and encoders write 23.98 for 23.976. */
const SAME_RATE = 0.0004;
/** The first and the last timestamp are rounded to 1 ms each. */
const ROUNDING_MS = 1.2;

export class RateCount {
  private times: number[] = [];
  /** The rate that the source says it has. It is believed only where the count cannot tell it from another. */
  declared: number | undefined;

  /** Takes the timestamp of each picture in ms, in the order of decoding. */
  add(ms: number): void {
    const last = this.times.at(-1);
    if (last !== undefined && (ms <= last || ms - last > MAX_STEP_MS)) this.times = [];
    this.times.push(ms);
    if (this.times.length > MAX_PICTURES) this.times.shift();
  }

  /** Pictures a second, to the thousandth; undefined until it is known. */
  get fps(): number | undefined {
    const { times } = this;
    const ms = (times.at(-1) ?? 0) - (times[0] ?? 0);
    if (times.length < MIN_PICTURES || ms < MIN_MS) return undefined;
    const counted = ((times.length - 1) * 1000) / ms;
    const couldBe = USUAL.filter((rate) => Math.abs(rate - counted) <= (counted * ROUNDING_MS) / ms);
    const declared = couldBe.find((rate) => Math.abs(rate - (this.declared ?? 0)) < rate * SAME_RATE);
    const rate = declared ?? (couldBe.length === 0 ? counted : nearestRate(counted, couldBe));
    return Math.round(rate * 1000) / 1000;
  }
}
