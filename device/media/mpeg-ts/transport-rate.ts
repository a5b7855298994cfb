/** Estimates and measures the rate of a rendition, for BANDWIDTH and AVERAGE-BANDWIDTH (RFC 8216 §4.3.4.2). */
import { fpsOf } from '../ladder/frame-rate.ts';
import { SAMPLE_RATE, type RenditionPlan } from '../ladder/ladder-plan.ts';
import { PACKET_BYTES } from './mpeg-ts.ts';

const PAYLOAD_SHARE = PACKET_BYTES / (PACKET_BYTES - 4);
/** Each unit ends in a packet that is filled up, half of it on average. */
const STUFFING_BYTES = 92;
/** PES header, and PCR or access unit delimiter for video. */
const VIDEO_HEADER_BYTES = 26;
const AUDIO_HEADER_BYTES = 14;
const AUDIO_UNIT_SAMPLES = 1024;

/** Returns the bits per second of a transport stream by the settings of its encoders. Small units weigh more: 18 % at 400 kbit/s. */
export function transportRate({ video, audios }: Pick<RenditionPlan, 'video' | 'audios'>, hasCaptions = false): number {
  // Captions have a packet of their own with each frame.
  const unitBytes = VIDEO_HEADER_BYTES + STUFFING_BYTES + (hasCaptions ? PACKET_BYTES : 0);
  const videoRate =
    video === undefined ? 0 : video.settings.bitrate * 1000 * PAYLOAD_SHARE + fpsOf(video.rate) * unitBytes * 8;
  const units = SAMPLE_RATE / AUDIO_UNIT_SAMPLES;
  const rateOf = (kbps: number): number =>
    kbps * 1000 * PAYLOAD_SHARE + units * (AUDIO_HEADER_BYTES + STUFFING_BYTES) * 8;
  const audioRate = audios.reduce((sum, { settings }) => sum + rateOf(settings.bitrate), 0);
  return videoRate + audioRate;
}

/**
 * Returns the peak that is announced before a segment was measured. The encoder may spend its buffer, one second of its rate, within a segment, but seldom does:
 * measured peaks are 3 to 10 % above the average, and a rate that is announced 25 % too high makes players begin a rendition too low (Apple's
 * "HLS authoring specification" §9.17). A segment that is heavier raises it (`SegmentRates.peak`).
 */
export function expectedPeak(average: number, segmentSeconds: number): number {
  return Math.round(average * Math.min(MAX_EXPECTED, 1 + 1 / segmentSeconds));
}

const MAX_EXPECTED = 1.2;

/** Measures the rates of segments. */
export class SegmentRates {
  private readonly segmentSeconds: number;
  private bits = 0;
  private seconds = 0;
  private highest = 0;

  constructor(segmentSeconds: number) {
    this.segmentSeconds = segmentSeconds;
  }

  add(bits: number, seconds: number): void {
    this.bits += bits;
    this.seconds += seconds;
    // RFC 8216 §4.3.4.2: a peak counts over at least half the target duration.
    if (seconds >= this.segmentSeconds / 2) this.highest = Math.max(this.highest, bits / seconds);
  }

  get peak(): number {
    return step(this.highest);
  }

  get average(): number {
    return this.seconds === 0 ? 0 : step(this.bits / this.seconds);
  }
}

/** Rounds up in steps of 5 %, so that a master playlist is not written anew with every segment. */
function step(rate: number): number {
  return rate === 0 ? 0 : Math.ceil(1.05 ** Math.ceil(Math.log(rate) / Math.log(1.05)));
}
