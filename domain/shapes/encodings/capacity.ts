/**
 * The cost of a Live stream on a Device, in cores: pixels × rate × preset, calibrated on measured ladders, times a factor for each kind of
 * work that the Device's own runs have taught.
 */
import { isCopied } from './copied.ts';
import { isHardware } from './hardware.ts';
import type { ResolvedVideo } from './encoding.ts';
import { isTenBit, lightOf, programmeLight } from './light.ts';

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
/** Ten bits a sample take so much more than eight, as measured at 1080p25. */
const TEN_BIT_FACTOR: Record<string, number> = { hevc: 1.06, av1: 1.03, vp9: 1.5 };
/** Cores for the conversion of a programme in HDR to SDR at 360p25: 0.39 are measured there, 1.07 at 720p25 and 2.08 at 1080p25. */
const TONE_MAP_360P25 = 0.39;
const PIXELS_360P25 = 640 * 360 * 25;
const TONE_MAP_EXPONENT = 0.76;
/** Frames are converted and handed over, whatever the codec; no hardware has been measured, and what runs teaches it. */
const HARDWARE_FACTOR = 0.2;
/** Cost grows more slowly than pixels. With the base cost this gives 0.55 cores for 720/480/360 together; measured are 0.58. */
const PIXEL_EXPONENT = 0.6;
/** Cost of ingest, clock and fan-out of one Live stream. */
const BASE_COST = 0.08;
/** Cost of one that copies its source: 0.01 is measured at 2 Mbit/s, and more where there is more to write. */
const COPY_COST = 0.015;

/** The base cost has decoding and scaling of a source of this size in it. */
const PIXELS_1080P30 = 1920 * 1080 * 30;
/** Cores for each further 1080p30 of a source, as measured of HEVC at 2160p30; H.264 takes less, and what runs teaches it. */
const SOURCE_COST = 0.3;

/** Share of the cores that may be promised; the rest absorbs peaks. */
const ADMISSION_SHARE = 0.75;

/** Cost of a usual ladder (720/480/360, veryfast) before anything is learned; it turns free cores into free slots. */
export const USUAL_COST = 0.55;

/** One kind of work within a Live stream, and its expected cost before anything is learned. */
export interface WorkPart {
  /** `stream`, `copy`, source/size class, codec/preset/size class, or kind of hardware/codec/size class. */
  kind: string;
  cores: number;
}

/**
 * Measured cores over expected cores on one Device, by kind of work. A missing kind is not known yet; `machine` is the factor of its trial,
 * which holds for all of those.
 */
export type Factors = Readonly<Record<string, number>>;

export const NOTHING_LEARNED: Factors = {};

type Renditions = readonly { video: ResolvedVideo | null; audio: { codec: string } | null }[];

/** The size and rate of a source, as far as they are known. */
export interface SourceSize {
  width: number;
  height: number;
  /** Left out where it is not known. */
  fps?: number;
}

export function workOf(renditions: Renditions, source?: SourceSize): WorkPart[] {
  if (isCopied(renditions)) return [{ kind: 'copy', cores: COPY_COST }];
  const cores = new Map([['stream', BASE_COST]]);
  const sourceRate = source === undefined ? 0 : source.width * source.height * (source.fps ?? 30);
  if (sourceRate > PIXELS_1080P30)
    cores.set(`source/${sizeClass(sourceRate)}`, SOURCE_COST * (sourceRate / PIXELS_1080P30 - 1));
  for (const { video } of renditions) {
    if (video === null) continue;
    const pixelRate = video.width * video.height * (video.fps || 30);
    const scale = (pixelRate / PIXELS_360P30) ** PIXEL_EXPONENT;
    const bits = isTenBit(video) ? { name: '10', factor: TEN_BIT_FACTOR[video.codec] ?? 1 } : { name: '', factor: 1 };
    const codecCost = H264_360P30 * (CODEC_FACTOR[video.codec] ?? 1) * bits.factor;
    const software = codecCost * scale * (PRESET_FACTOR[video.preset] ?? 1);
    const cost = isHardware(video.encoder) ? H264_360P30 * scale * HARDWARE_FACTOR : software;
    const kind = `${encoderPart(video, bits.name)}/${sizeClass(pixelRate)}`;
    cores.set(kind, (cores.get(kind) ?? 0) + cost);
  }
  const toneMapped = toneMappedRate(renditions);
  if (toneMapped > 0)
    cores.set(`tonemap/${sizeClass(toneMapped)}`, TONE_MAP_360P25 * (toneMapped / PIXELS_360P25) ** TONE_MAP_EXPONENT);
  return [...cores].map(([kind, cost]) => ({ kind, cores: cost }));
}

/** Pixels a second that are converted to SDR: those of the largest rendition in SDR, for all of them, where others are in HDR. */
function toneMappedRate(renditions: Renditions): number {
  const videos = renditions.flatMap(({ video }) => video ?? []);
  if (programmeLight(videos) === 'sdr') return 0;
  const sdr = videos.filter((video) => lightOf(video) === 'sdr');
  return Math.max(0, ...sdr.map(({ width, height, fps }) => width * height * (fps || 30)));
}

/** The cost of `auto` is learned apart: it is little where there is hardware, and no measure of software. */
function encoderPart({ encoder, codec, preset }: ResolvedVideo, bits: string): string {
  if (isHardware(encoder)) return `${encoder}/${codec}`;
  return `${encoder === 'auto' ? 'auto ' : ''}${codec}${bits}/${preset}`;
}

/** A class spans a factor of two (360p30 is 23, 720p30 25, 1080p30 26), which leaves so few kinds that each is learned soon. */
function sizeClass(pixelRate: number): number {
  return Math.round(Math.log2(pixelRate));
}

/** Cores that the renditions need in real time. */
export function costOf(renditions: Renditions, factors: Factors = NOTHING_LEARNED): number {
  return estimate(workOf(renditions), factors);
}

export function estimate(work: readonly WorkPart[], factors: Factors): number {
  return work.reduce((sum, { kind, cores }) => sum + cores * factorOf(kind, factors), 0);
}

const size = (width: number, height: number): Renditions[number] =>
  ({
    video: { codec: 'h264', hdr_mode: 'off', h264: { profile: null }, preset: 'veryfast', fps: 30, width, height },
    audio: null,
  }) as Renditions[number];
const USUAL_WORK = workOf([size(1280, 720), size(854, 480), size(640, 360)]);

/** The work of the trial of a Device: 720p and 360p at 30 frames a second, encoding alone. */
const TRIAL_WORK = workOf([size(1280, 720), size(640, 360)]).filter(({ kind }) => kind !== 'stream');

/** Measured over expected cores of the trial. */
export function trialFactor(cores: number): number {
  const factor = cores / estimate(TRIAL_WORK, NOTHING_LEARNED);
  return Number(Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, factor)).toFixed(3));
}

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

/** Answers the factor of the kind itself, else of the nearest size of the same codec and preset, else that of the machine, else 1. */
function factorOf(kind: string, factors: Factors): number {
  return learnedOf(kind, factors) ?? factors['machine'] ?? 1;
}

function learnedOf(kind: string, factors: Factors): number | undefined {
  const own = factors[kind];
  if (own !== undefined) return own;
  const at = kind.lastIndexOf('/') + 1;
  if (at === 0) return undefined;
  const family = kind.slice(0, at);
  const distance = (other: string): number => Math.abs(Number(other.slice(at)) - Number(kind.slice(at)));
  const [nearest] = Object.keys(factors)
    .filter((other) => other.startsWith(family))
    .sort((a, b) => distance(a) - distance(b));
  return nearest === undefined ? undefined : factors[nearest]!;
}

/** Whether an estimate of the encodings rests on this Device: on its trial, or on what it has learned. */
function isKnown(work: readonly WorkPart[], factors: Factors): boolean {
  const encodings = work.filter(({ kind }) => kind.includes('/'));
  return factors['machine'] !== undefined || encodings.every(({ kind }) => learnedOf(kind, factors) !== undefined);
}

/** Moves the reserved cores of a run towards its measured cost: up at once, down over minutes. */
export function settledCost(reserved: number, measured: number): number {
  return reserved + (measured - reserved) * (measured > reserved ? 0.5 : 0.02);
}

/** The learned factors of one Device; the id is its deviceId. */
export interface WorkCosts {
  id: number;
  factors: Factors;
  /** The factor of its trial when they were learned; left out while there was none. */
  machine?: number;
  updated_at: string;
}

/** The factors of a Device now: those that were learned before an upgrade go by what its trials have found before and after. */
export function factorsNow(learned: Pick<WorkCosts, 'factors' | 'machine'> | undefined, machine?: number): Factors {
  if (machine === undefined) return learned?.factors ?? NOTHING_LEARNED;
  const change = machine / (learned?.machine ?? machine);
  const factors = Object.entries(learned?.factors ?? {}).map(([kind, factor]) => [kind, factor * change] as const);
  return { ...Object.fromEntries(factors), machine };
}

/** A run of work that is new to the Device may take so much more than its estimate: two machines differ by nearly as much. */
const UNMEASURED_MARGIN = 1.5;

/** The part of a run that the capacity of its Device goes by. */
export interface PromisedRun {
  /** Cores that it takes: expected at the start, then as measured. */
  cost: number;
  /** The parts of the cost; left out in rows of earlier versions. */
  work?: readonly WorkPart[];
  /** The cost comes from what it takes; left out before the first figure. */
  measured?: true;
  /** Since when it has been falling behind; left out while it keeps up. Its Device gets no more until it does. */
  behind?: string;
}

/** Cores that a run holds: until it is measured, more than the estimate of a machine that nobody knows. */
function heldCores({ cost, work = [], measured }: PromisedRun, factors: Factors): number {
  return measured === true || isKnown(work, factors) ? cost : cost * UNMEASURED_MARGIN;
}

/** The slots that it takes there, to the fraction. */
export function slotsOf(run: PromisedRun, factors: Factors): number {
  return heldCores(run, factors) / usualCost(factors);
}

/** The capacity of one Device at one moment. */
export interface DeviceCapacity {
  cores: number;
  /** Cores reserved by the runs that start or run there. */
  promised: number;
  /** Cores that other programs take, which counts while something runs. */
  others: number;
  /** Cores that may still be promised; never below 0. */
  free: number;
  /** Cores that may be promised when nothing runs, or more where more is promised. */
  whole: number;
  /** Promised share of the cores that may be promised, 0-1. */
  load: number;
  /**
   * Slots count Live streams of the usual cost: `total` is what the Device carries, whatever runs there now, split into `used` and `free`.
   * A dearer Live stream takes several slots. A Device may run more cheap ones than it has slots; each is then counted, and none is free.
   */
  slots: { used: number; free: number; total: number };
}

/** The part of a Device that its capacity goes by. */
export interface Machine {
  cores: number;
  other_load?: number;
}

/**
 * `runs` are those that start or run on the Device. While one of them falls behind, the Device carries too much already. What others take is
 * first taken of the reserve. A Device on which nothing runs takes its first start whatever others do.
 */
export function capacityOf(
  { cores, other_load = 0 }: Machine,
  runs: readonly PromisedRun[],
  factors: Factors,
): DeviceCapacity {
  const others = runs.length === 0 ? 0 : Math.min(cores, other_load);
  const promised = runs.reduce((sum, run) => sum + heldCores(run, factors), 0);
  const isBehind = runs.some(({ behind }) => behind !== undefined);
  const left = Math.min(cores * ADMISSION_SHARE, cores - others);
  const free = isBehind ? 0 : Math.max(0, left - promised);
  const whole = Math.max(promised, cores * ADMISSION_SHARE);
  const slotsIn = (room: number): number => Math.floor(room / usualCost(factors));
  const carried = slotsIn(cores * ADMISSION_SHARE);
  const used = Math.max(runs.length, carried - slotsIn(free));
  const total = Math.max(carried, used);
  return {
    cores,
    promised,
    others,
    free,
    whole,
    load: isBehind ? 1 : whole === 0 ? 0 : Math.round((1 - free / whole) * 100) / 100,
    slots: { used, free: total - used, total },
  };
}
