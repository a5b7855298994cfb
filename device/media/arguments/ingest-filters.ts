/** Filters of the ingest: whatever a source is, video and audio leave in the one form of the programme. */
import type { Crop } from '../../../domain/shapes/broadcasts/livestream.ts';
import type { Light } from '../../../domain/shapes/encodings/light.ts';
import { BT601, matrixOf } from '../light/colour.ts';
import type { Samples } from '../light/frame-form.ts';
import { toLight, toneMap } from '../light/light-filters.ts';
import { fpsOf, rateArgument } from '../ladder/frame-rate.ts';
import { SAMPLE_RATE } from '../ladder/ladder-plan.ts';
import type { LadderPlan } from '../ladder/ladder-plan.ts';
import { SURROUND, WIDE_SURROUND } from '../ladder/track-plan.ts';
import { hdrOf, type VideoFacts, type SourceFacts } from '../ffmpeg-output/source-facts.ts';

export interface Filters {
  video: string;
  /** In the order of the tracks that are taken. */
  audio: string[];
}

/** Returns the video filters for a source as its ffmpeg has described it; `canToneMap` tells that this ffmpeg has zscale. */
export function videoFilter(plan: LadderPlan, crop: Crop | null, facts: SourceFacts, canToneMap: boolean): string {
  const { video } = facts;
  const rate = rateArgument(plan.rate);
  const { width, height, samples } = plan;
  const edges = crop === null ? [] : [cropFilter(crop)];
  const size = fittedSize(plan);
  const scaled = inLightOf(plan, size, video, canToneMap);
  return [
    ...[SAID, ...deinterlacer(plan)],
    ...[inStep(rate), `fps=${rate}`, ...edges, ...scaled],
    ...[`pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`, 'setsar=1', `format=${samples}`],
  ].join(',');
}

const LIGHTS: Readonly<Record<string, Light>> = { PQ: 'pq', HLG: 'hlg' };

/** Scales the pictures, and brings them to the light of the programme. */
function inLightOf(
  { light, samples }: LadderPlan,
  size: string,
  video: VideoFacts | undefined,
  canToneMap: boolean,
): string[] {
  const from = LIGHTS[hdrOf(video) ?? ''] ?? 'sdr';
  if (light === 'sdr')
    return from !== 'sdr' && canToneMap
      ? [`scale=${size}`, ...toneMap(video!.transfer!, video!.range)]
      : toBt709(size, video, samples);
  // Of a source in the same light only the size and the range are changed, and its values stay what they are.
  if (from === light) return [`scale=${size}:out_range=tv`, ...toLight(from, light)];
  const scaled = from === 'sdr' ? toBt709(size, video, samples) : [`scale=${size}:out_range=tv`];
  return [...scaled, ...toLight(from, light)];
}

/** ffmpeg writes a line for each picture as it has come in, with its time, size and fields. */
const SAID = 'showinfo=checksum=0';

/** Only frames that say they are interlaced are changed. Each of their fields becomes a frame where the clock shows as many. */
function deinterlacer({ videos, rate }: LadderPlan): string[] {
  const mode = fpsOf(rate) > 31 ? 'send_field' : 'send_frame';
  return videos.some(({ settings }) => settings.deinterlace !== false) ? [`bwdif=mode=${mode}:deint=interlaced`] : [];
}

/** The colorspace filter converts these matrices of Y'CbCr; the scaler would do it by way of RGB of 8 bits, and its roundings are seen. */
const CONVERTED = ['smpte170m', 'bt470bg', 'smpte240m', 'fcc', 'bt2020nc'];

/** A source that names its matrix is trusted, frame by frame. One that does not was made for players that go by its size. */
function toBt709(size: string, video: VideoFacts | undefined, samples: Samples): string[] {
  const assumed = video === undefined || video.matrix !== undefined ? undefined : matrixOf(video);
  const matrix = assumed === BT601 ? 'smpte170m' : (video?.matrix ?? 'bt709');
  const scale = `scale=${size}:in_color_matrix=${assumed?.name ?? 'auto'}:out_range=tv`;
  if (!CONVERTED.includes(matrix)) return [`${scale}:out_color_matrix=bt709`];
  // Only the matrix is converted: the rest is the same on both sides.
  const same = ['range=tv', 'trc=bt709', 'primaries=bt709'].map((one) => `i${one}:${one}`).join(':');
  const from = assumed === undefined ? '' : `:ispace=${matrix}`;
  return [scale, `format=${samples}`, `colorspace=space=bt709${from}:${same}:fast=1`];
}

/** Returns the largest size that fits, in the shape that the source's pixels are meant to have; bars come around it. */
function fittedSize({ width, height }: LadderPlan): string {
  const sides = [`min(${width}\\,${height}*dar)`, `min(${height}\\,${width}/dar)`];
  // Sides are even and two pixels at least: chroma has half of each.
  const [w, h] = sides.map((side) => `max(2\\,trunc(${side}/2)*2)`);
  return `w=${w}:h=${h}`;
}

/**
 * Puts the first frame on a tick, by half a tick at most, and all others with it. A source whose frames fall between two ticks would have
 * them go to the one or the other by the rounding of its milliseconds: shown twice, left out, shown twice.
 */
function inStep(rate: string): string {
  return `setpts=PTS-STARTPTS+round(STARTPTS*TB*(${rate}))/(${rate})/TB`;
}

/** Crops per cent of each edge. Throws RangeError when nothing would be left. */
export function cropFilter({ left, right, top, bottom }: Crop): string {
  const share = (from: number, to: number): string => {
    if (from < 0 || to < 0 || from + to >= 100)
      throw new RangeError(`A crop of ${from} and ${to} % leaves no picture.`);
    return ((100 - from - to) / 100).toFixed(4);
  };
  const at = (percent: number): string => (percent / 100).toFixed(4);
  const size = `w=max(2\\,iw*${share(left, right)}):h=max(2\\,ih*${share(top, bottom)})`;
  return `crop=${size}:x=iw*${at(left)}:y=ih*${at(top)}`;
}

/**
 * `async=1` with this limit closes the gap that a loop leaves between audio and video; async=1000 ruins the audio, async=1 alone drifts by
 * 23 ms a loop. ffmpeg builds the graph anew when the source's format changes, an hour on air or more: each graph counts from 0, and a line
 * of its own says when it begins (SOUND_BEGINS reads it).
 */
const RESAMPLE = `asetpts=PTS-STARTPTS,aresample=${SAMPLE_RATE}:async=1:min_hard_comp=0.01`;

/** ffmpeg writes a line for the first samples that go into the graph of the `i`-th track, with their time and form. */
function saidOnce(i: number): string {
  return `asplit[all][first];[first]aselect=eq(n\\,0),ashowinfo@${i},anullsink;[all]`;
}
/** −1 dBTP. */
const CEILING = 0.891;

/** Mixes channels above two at the levels of ITU-R BS.775, as loud as the source: swresample's own scaling would take 7.6 LU off. */
const STEREO = 'aformat=sample_fmts=flt:channel_layouts=stereo';
/** A limiter keeps their sum below the ceiling, between the samples as well. */
const LIMITER = `aresample=${4 * SAMPLE_RATE},alimiter=limit=${CEILING}:level=0:latency=1,aresample=${SAMPLE_RATE}`;
const UNSCALED = 'rematrix_maxval=1000';

/** The sides of 7.1 are heard from the back of 5.1 at their own level; swresample would take 3 dB off. */
const SIDES_TO_BACK = 'aformat=sample_fmts=flt:channel_layouts=7.1,pan=5.1|FL=FL|FR=FR|FC=FC|LFE=LFE|BL=BL+SL|BR=BR+SR';

/** Returns the filter of the `i`-th track, which makes of it stereo, or 5.1 or 7.1, where what a source lacks is silent. */
export function audioFilter(isSurround: boolean, channels: number, i = 0): string {
  const timed = `${saidOnce(i)}${RESAMPLE}:${UNSCALED}`;
  if (channels === WIDE_SURROUND) return `${timed},aformat=sample_fmts=s16:channel_layouts=7.1`;
  if (channels === SURROUND) return `${timed},${SIDES_TO_BACK},aformat=sample_fmts=s16`;
  const mixed = `${timed},${STEREO}`;
  return isSurround ? `${mixed},${LIMITER}` : `${mixed},aformat=sample_fmts=s16`;
}
