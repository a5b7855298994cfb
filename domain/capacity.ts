/** What a Live stream costs a Device, in cores: pixels × rate × preset, calibrated on measured ladders. */
import type { RenditionSpec } from './run.ts';

/** Cores for one rendition of 640×360 at 30 frames a second with x264 veryfast. Others relative to it. */
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
const CODEC_FACTOR: Record<string, number> = { h264: 1, hevc: 2, av1: 1.6, vp9: 1, copy: 0 };
/** Cost grows slower than pixels. With the base this gives 0.55 cores for 720/480/360 together; measured 0.58. */
const PIXEL_EXPONENT = 0.6;
/** Ingest, clock and fan-out of one Live stream. */
const BASE_COST = 0.08;

/** Share of the cores that may be promised; the rest absorbs peaks. */
export const ADMISSION_SHARE = 0.75;

/** What a usual ladder (720/480/360, veryfast) costs; turns free cores into free slots. */
export const USUAL_COST = 0.55;

/** Cores that the renditions need in real time. */
export function costOf(renditions: readonly Pick<RenditionSpec, 'video'>[]): number {
  let cost = BASE_COST;
  for (const { video } of renditions) {
    if (video === null || video.codec === 'copy') continue;
    const scale = ((video.width * video.height * (video.fps || 30)) / PIXELS_360P30) ** PIXEL_EXPONENT;
    cost += H264_360P30 * scale * (CODEC_FACTOR[video.codec] ?? 1) * (PRESET_FACTOR[video.preset] ?? 1);
  }
  return cost;
}
