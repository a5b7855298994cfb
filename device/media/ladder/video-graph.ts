/** The filters of the encoder: each rendition gets its rate, its size, its shape and its samples of the raw programme. */
import { isHardware } from '../../../domain/shapes/encodings/hardware.ts';
import { lightOf } from '../../../domain/shapes/encodings/light.ts';
import { fpsOf, rateArgument, type FrameRate } from './frame-rate.ts';
import { hardwareSamples } from './hardware-samples.ts';
import type { LadderPlan, VideoStreamPlan } from './ladder-plan.ts';
import type { Samples } from '../light/frame-form.ts';
import { labelled, programmeToSdr } from '../light/light-filters.ts';

/** These profiles have other samples than 8 bits 4:2:0. */
const PROFILE_SAMPLES: Record<string, string> = {
  high10: 'yuv420p10le',
  high422: 'yuv422p10le',
  high444: 'yuv444p',
  main10: 'yuv420p10le',
};

function profileOf({ codec, hevc, h264 }: VideoStreamPlan['settings']): string | null {
  if (codec === 'hevc') return hevc.profile;
  return codec === 'h264' ? h264.profile : null;
}

/** The pixel format that the encoder must get. */
function samplesOf({ settings }: VideoStreamPlan): string {
  return PROFILE_SAMPLES[profileOf(settings) ?? ''] ?? (lightOf(settings) === 'sdr' ? 'yuv420p' : 'yuv420p10le');
}

/** Frames of which renditions are made. */
interface Origin {
  width: number;
  height: number;
  rate: FrameRate;
  samples: Samples;
}

export function videoGraph(plan: LadderPlan): string[] {
  const { videos, light } = plan;
  const toned = light === 'sdr' ? [] : videos.filter(({ settings }) => lightOf(settings) === 'sdr');
  if (toned.length === 0) {
    const split = `[0:v]${labelled(light)},split=${videos.length}${videos.map((_, i) => `[s${i}]`).join('')}`;
    return [split, ...videos.map((stream, i) => `[s${i}]${renditionFilter(plan, stream, plan)}[v${i}]`)];
  }
  const others = videos.filter((stream) => !toned.includes(stream));
  const pads = (streams: readonly VideoStreamPlan[]): string =>
    streams.map((stream) => `[s${videos.indexOf(stream)}]`).join('');
  const { chain, origin } = toSdr(plan, toned);
  return [
    `[0:v]${labelled(light)},split=${others.length + 1}[hdr]${pads(others)}`,
    `[hdr]${chain},split=${toned.length}${pads(toned)}`,
    ...videos.map((stream, i) => {
      return `[s${i}]${renditionFilter(plan, stream, toned.includes(stream) ? origin : plan)}[v${i}]`;
    }),
  ];
}

/** Tones are mapped once, in the size and at the rate of the largest rendition in SDR: it is the dearest work of such a ladder. */
function toSdr(plan: LadderPlan, toned: readonly VideoStreamPlan[]): { chain: string; origin: Origin } {
  const { light, samples } = plan;
  const rate = toned.map((stream) => stream.rate).reduce((a, b) => (fpsOf(b) > fpsOf(a) ? b : a));
  const sizes = toned.map(({ settings }) => fitted(plan, settings));
  const size = sizes.reduce((a, b) => (b.width * b.height > a.width * a.height ? b : a));
  const wanted = toned.some((stream) => samplesOf(stream) !== 'yuv420p') ? samples : 'yuv420p';
  const origin = { ...size, rate, samples: wanted };
  const chain = [
    ...(rateArgument(rate) === rateArgument(plan.rate) ? [] : [`fps=${rateArgument(rate)}`]),
    ...scaled(plan, size),
    ...programmeToSdr(light),
    `format=${wanted}`,
    labelled('sdr'),
  ];
  return { chain: chain.join(','), origin };
}

function scaled(from: { width: number; height: number }, to: { width: number; height: number }): string[] {
  const isSame = to.width === from.width && to.height === from.height;
  return isSame ? [] : [`scale=${to.width}:${to.height}:flags=bicubic`];
}

function renditionFilter(plan: LadderPlan, stream: VideoStreamPlan, from: Origin): string {
  const { settings, rate } = stream;
  const { width, height, aspect_ratio: aspect } = settings;
  const chain: string[] = [];
  if (rateArgument(rate) !== rateArgument(from.rate)) chain.push(`fps=${rateArgument(rate)}`);
  const inner = fitted(plan, settings);
  chain.push(...scaled(from, inner));
  if (inner.width !== width || inner.height !== height) chain.push(`pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`);
  chain.push(aspect === null ? 'setsar=1' : `setdar=${aspect.replace(':', '/')}`);
  const samples = isHardware(settings.encoder) ? hardwareSamples(settings.encoder, settings) : samplesOf(stream);
  if (samples !== from.samples) chain.push(`format=${samples}`);
  return chain.join(',');
}

/** Size that the programme takes in a rendition: all of it, or less where bars keep its shape. */
function fitted(plan: LadderPlan, { width, height, aspect_ratio: aspect }: VideoStreamPlan['settings']) {
  const [x, y] = aspect?.split(':').map(Number) ?? [width, height];
  const wider = plan.width / plan.height / (x! / y!);
  // Sizes are rounded to even pixels, which no viewer sees.
  if (Math.abs(wider - 1) <= 0.01) return { width, height };
  const even = (pixels: number): number => 2 * Math.round(pixels / 2);
  return wider > 1 ? { width, height: even(height / wider) } : { width: even(width * wider), height };
}
