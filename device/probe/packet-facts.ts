/** Reads rate, keyframe distance and bit rate from a list of packets. */
import { nearestRate, RATES } from '../media/ladder/usual-rate.ts';

export interface ListedPacket {
  stream_index: number;
  pts_time?: string;
  size: string;
  flags: string;
}

export interface PacketFacts {
  fps: number | null;
  isVariableRate: boolean;
  keyframeSeconds: number | null;
  /** From the first picture to the end of the last. */
  seconds: number;
}

/** A camera's slow motion is said as it is. */
const ALL_RATES = [...RATES, 100, 119.88, 120];
/** 29.97 and 30 are a thousandth apart; clocks in milliseconds, as those of FLV, are exact enough over some seconds. */
const TOLERANCE = 0.0004;
/** A distance that differs by so much from the usual one is no rounding of a clock. */
const UNEVEN = 0.3;
/** A few lost packets do not make a rate variable. */
const UNEVEN_SHARE = 0.05;

/** `packets` are those of one video stream. */
export function packetFacts(packets: readonly ListedPacket[]): PacketFacts {
  const timed = packets.filter(({ pts_time: pts }) => pts !== undefined);
  const times = timed.map(({ pts_time: pts }) => Number(pts)).sort((a, b) => a - b);
  const steps = times.slice(1).map((time, at) => time - times[at]!);
  const usual = [...steps].sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
  const keys = timed.filter(({ flags }) => flags.startsWith('K')).map(({ pts_time: pts }) => Number(pts));
  const distances = keys
    .sort((a, b) => a - b)
    .slice(1)
    .map((time, at) => time - keys[at]!);
  const uneven = steps.filter((step) => Math.abs(step - usual) > usual * UNEVEN + 0.0015);
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return {
    fps: steps.length < 2 || usual <= 0 ? null : rateOf(steps, usual, uneven.length),
    isVariableRate: uneven.length > steps.length * UNEVEN_SHARE,
    keyframeSeconds: distances.length === 0 ? null : rounded(Math.max(...distances), 3),
    seconds: span + usual,
  };
}

/**
 * Steps across a gap would make the rate look lower than it is, so the even ones count where they are most. A clock that jitters makes the
 * even ones too short or too long, and all steps together right: of both means, the one that is nearer to a usual rate counts.
 */
function rateOf(steps: readonly number[], usual: number, uneven: number): number {
  const isMostlyEven = uneven <= steps.length * UNEVEN_SHARE;
  const even = isMostlyEven ? steps.filter((step) => Math.abs(step - usual) <= usual * UNEVEN + 0.0015) : steps;
  const means = [even, steps].map((counted) => counted.length / counted.reduce((sum, step) => sum + step, 0));
  const distanceOf = (mean: number): number => Math.abs(nearestRate(mean, ALL_RATES) - mean) / mean;
  const [mean] = means.sort((a, b) => distanceOf(a) - distanceOf(b)) as [number, number];
  return distanceOf(mean) <= TOLERANCE ? nearestRate(mean, ALL_RATES) : rounded(mean, 2);
}

/** Kilobits a second of all packets, over the longest of their streams. */
export function bitrateOf(packets: readonly ListedPacket[]): number {
  const times = packets.flatMap(({ pts_time: pts }) => (pts === undefined ? [] : [Number(pts)]));
  if (times.length < 2) return 0;
  const [first, last] = times.reduce(
    ([low, high], time) => [Math.min(low, time), Math.max(high, time)],
    [times[0]!, times[0]!],
  );
  const bytes = packets.reduce((sum, { size }) => sum + Number(size), 0);
  return last! > first! ? Math.round((bytes * 8) / 1000 / (last! - first!)) : 0;
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
