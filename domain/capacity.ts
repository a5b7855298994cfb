/**
 * The cost of a Live stream on a Device, in cores: pixels × rate × preset, calibrated on measured ladders, times a factor for each kind of
 * work that the Device's own runs have taught.
 */
import { isCopied } from './copied.ts';
import type { ResolvedVideo } from './encoding.ts';

/** Cores for one rendition of 640×360 at 30 frames a second with x264 veryfast; all others are relative to it. */
const H264_360P30 = 0.1;
const PIXELS_360P30 = 640 * 360 * 30;
const PRESET_FACTOR: Record<string, number> = {
  ultrafast: 0.7,
  superfast: 0.85,
  veryfast: 1,
  faster: 1.4,
  fast: 1.8,
  medium: 2.4,
};
const CODEC_FACTOR: Record<string, number> = { h264: 1, hevc: 2, av1: 1.6, vp9: 1 };
/** Cost grows more slowly than pixels. With the base cost this gives 0.55 cores for 720/480/360 together; measured are 0.58. */
const PIXEL_EXPONENT = 0.6;
/** Cost of ingest, clock and fan-out of one Live stream. */
const BASE_COST = 0.08;
/** Cost of one that copies its source: 0.01 is measured at 2 Mbit/s, and more where there is more to write. */
const COPY_COST = 0.015;

/** Share of the cores that may be promised; the rest absorbs peaks. */
const ADMISSION_SHARE = 0.75;

/** Cost of a usual ladder (720/480/360, veryfast) before anything is learned; it turns free cores into free slots. */
export const USUAL_COST = 0.55;

/** One kind of work within a Live stream, and its expected cost before anything is learned. */
export interface WorkPart {
  /** `stream`, `copy`, or codec/preset/size class. */
  kind: string;
  cores: number;
}

/** Measured cores over expected cores on one Device, by kind of work. A missing kind is not known yet. */
export type Factors = Readonly<Record<string, number>>;

export const NOTHING_LEARNED: Factors = {};

type Renditions = readonly { video: ResolvedVideo | null; audio: { codec: string } | null }[];

export function workOf(renditions: Renditions): WorkPart[] {
  if (isCopied(renditions)) return [{ kind: 'copy', cores: COPY_COST }];
  const cores = new Map([['stream', BASE_COST]]);
  for (const { video } of renditions) {
    if (video === null) continue;
    const pixelRate = video.width * video.height * (video.fps || 30);
    const scale = (pixelRate / PIXELS_360P30) ** PIXEL_EXPONENT;
    const cost = H264_360P30 * scale * (CODEC_FACTOR[video.codec] ?? 1) * (PRESET_FACTOR[video.preset] ?? 1);
    // A class spans a factor of two (360p30 is 23, 720p30 25, 1080p30 26), which leaves so few kinds that each is learned soon.
    const kind = `${video.codec}/${video.preset}/${Math.round(Math.log2(pixelRate))}`;
    cores.set(kind, (cores.get(kind) ?? 0) + cost);
  }
  return [...cores].map(([kind, cost]) => ({ kind, cores: cost }));
}

/** Cores that the renditions need in real time. */
export function costOf(renditions: Renditions, factors: Factors = NOTHING_LEARNED): number {
  return estimate(workOf(renditions), factors);
}

export function estimate(work: readonly WorkPart[], factors: Factors): number {
  return work.reduce((sum, { kind, cores }) => sum + cores * factorOf(kind, factors), 0);
}

const size = (width: number, height: number): Renditions[number] =>
  ({ video: { codec: 'h264', preset: 'veryfast', fps: 30, width, height }, audio: null }) as Renditions[number];
const USUAL_WORK = workOf([size(1280, 720), size(854, 480), size(640, 360)]);

/** Cores of a usual ladder on a Device with these factors. */
export function usualCost(factors: Factors): number {
  return USUAL_COST * (estimate(USUAL_WORK, factors) / estimate(USUAL_WORK, NOTHING_LEARNED));
}

/** Machines differ by less than this from the measured one; a figure beyond these bounds is a mistake, not a machine. */
const MIN_FACTOR = 0.2;
const MAX_FACTOR = 5;
/** With figures every 10 s, dearer work is believed within a minute and cheaper work within ten: a quiet scene is no rule. */
const DEARER_RATE = 0.3;
const CHEAPER_RATE = 0.05;

/** Answers the factors after one run of this work took `measured` cores. The kind with the largest part learns most. */
export function learn(work: readonly WorkPart[], factors: Factors, measured: number): Factors {
  const parts = work.map((part) => ({ ...part, cores: part.cores * factorOf(part.kind, factors) }));
  const expected = parts.reduce((sum, { cores }) => sum + cores, 0);
  const largest = Math.max(...parts.map(({ cores }) => cores));
  if (!(expected > 0) || !(measured > 0)) return factors;
  const ratio = measured / expected;
  const rate = ratio > 1 ? DEARER_RATE : CHEAPER_RATE;
  const learned = parts.map(({ kind, cores }) => {
    const factor = factorOf(kind, factors) * ratio ** ((rate * cores) / largest);
    return [kind, Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, factor))] as const;
  });
  return { ...factors, ...Object.fromEntries(learned) };
}

/** Answers the factor of the kind itself, else of the nearest size of the same codec and preset, else 1. */
function factorOf(kind: string, factors: Factors): number {
  const own = factors[kind];
  if (own !== undefined) return own;
  const at = kind.lastIndexOf('/') + 1;
  if (at === 0) return 1;
  const family = kind.slice(0, at);
  const distance = (other: string): number => Math.abs(Number(other.slice(at)) - Number(kind.slice(at)));
  const [nearest] = Object.keys(factors)
    .filter((other) => other.startsWith(family))
    .sort((a, b) => distance(a) - distance(b));
  return nearest === undefined ? 1 : factors[nearest]!;
}

/** Moves the reserved cores of a run towards its measured cost: up at once, down over minutes. */
export function settledCost(reserved: number, measured: number): number {
  return reserved + (measured - reserved) * (measured > reserved ? 0.5 : 0.02);
}

/** The learned factors of one Device; the id is its deviceId. */
export interface WorkCosts {
  id: number;
  factors: Factors;
  updated_at: string;
}

/** The capacity of one Device at one moment. */
export interface DeviceCapacity {
  cores: number;
  /** Cores reserved by the runs that start or run there. */
  promised: number;
  /** Cores that may still be promised; never below 0. */
  free: number;
  /** Promised share of the cores that may be promised, 0-1. */
  load: number;
  /**
   * Slots count Live streams of the usual cost: `total` is what the Device carries, whatever runs there now, split into `used` and `free`.
   * A dearer Live stream takes several slots. A Device may run more cheap ones than it has slots; each is then counted, and none is free.
   */
  slots: { used: number; free: number; total: number };
}

/** `runs` are those that start or run on the Device. */
export function capacityOf(cores: number, runs: readonly { cost: number }[], factors: Factors): DeviceCapacity {
  const promised = runs.reduce((sum, run) => sum + run.cost, 0);
  const free = Math.max(0, cores * ADMISSION_SHARE - promised);
  const whole = promised + free;
  const slotsIn = (room: number): number => Math.floor(room / usualCost(factors));
  const carried = slotsIn(cores * ADMISSION_SHARE);
  const used = Math.max(runs.length, carried - slotsIn(free));
  const total = Math.max(carried, used);
  return {
    cores,
    promised,
    free,
    load: whole === 0 ? 0 : Math.round((promised / whole) * 100) / 100,
    slots: { used, free: total - used, total },
  };
}
