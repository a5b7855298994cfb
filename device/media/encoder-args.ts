/** Arguments of the one encoder: raw programme in on fd 3 and 4, all renditions out as one transport stream, progress on fd 5. */
import { CHANNELS, SAMPLE_RATE } from './ladder-plan.ts';
import type { AudioStreamPlan, LadderPlan, VideoStreamPlan } from './ladder-plan.ts';
import { fpsOf, rateArgument } from './frame-rate.ts';

const AUDIO_ENCODERS: Record<string, string> = { mp4a: 'aac', mp3: 'libmp3lame', opus: 'libopus', mpga: 'mp2' };

/** Begins every command: no questions on stdin, the level in each line of stderr. */
export const QUIET = ['-hide_banner', '-nostdin', '-loglevel', 'level+warning'];

/** `offsetSeconds` shifts every time stamp: a restarted encoder goes on where the last one ended. */
export function encoderArgs(plan: LadderPlan, offsetSeconds: number): string[] {
  return [
    ...QUIET,
    ...inputs(plan),
    ...(plan.hasVideo ? ['-filter_complex', filterGraph(plan)] : []),
    ...plan.videos.flatMap((_, i) => ['-map', `[v${i}]`]),
    ...plan.audios.flatMap(() => ['-map', `${plan.hasVideo ? 1 : 0}:a:0`]),
    ...plan.videos.flatMap(videoArgs),
    ...plan.audios.flatMap(audioArgs),
    ...programs(plan),
    ...['-max_muxing_queue_size', '400', '-output_ts_offset', offsetSeconds.toFixed(6)],
    ...muxerArgs,
    ...['-progress', 'pipe:5', '-stats_period', '0.5', '-f', 'mpegts', 'pipe:1'],
  ];
}

/** No delay of its own, every sound frame in its own PES (the default gathers up to 180 ms), tables often enough for a joiner. */
export const muxerArgs = [
  ...['-muxdelay', '0', '-muxpreload', '0', '-pes_payload_size', '0', '-pat_period', '0.2'],
  ...['-mpegts_flags', '+resend_headers', '-flush_packets', '1'],
];

function inputs({ hasVideo, width, height, rate }: LadderPlan): string[] {
  // Nothing to probe: the sizes are ours. The defaults would wait for 5 s of input.
  const video = [
    ...['-fflags', 'nobuffer', '-probesize', '32', '-analyzeduration', '0', '-thread_queue_size', '8'],
    ...[
      '-f',
      'rawvideo',
      '-pix_fmt',
      'yuv420p',
      '-s',
      `${width}x${height}`,
      '-framerate',
      rateArgument(rate),
      '-i',
      'pipe:3',
    ],
  ];
  const audio = [
    ...['-probesize', '32', '-analyzeduration', '0', '-thread_queue_size', '64'],
    ...['-f', 's16le', '-ar', String(SAMPLE_RATE), '-ac', String(CHANNELS), '-i', 'pipe:4'],
  ];
  return hasVideo ? [...video, ...audio] : audio;
}

function filterGraph(plan: LadderPlan): string {
  const { videos } = plan;
  const split = `[0:v]split=${videos.length}${videos.map((_, i) => `[s${i}]`).join('')}`;
  return [split, ...videos.map((stream, i) => `[s${i}]${picture(plan, stream)}[v${i}]`)].join(';');
}

function picture(plan: LadderPlan, { settings, rate }: VideoStreamPlan): string {
  const { width, height, aspect_ratio: aspect } = settings;
  const chain: string[] = [];
  if (rateArgument(rate) !== rateArgument(plan.rate)) chain.push(`fps=${rateArgument(rate)}`);
  if (width !== plan.width || height !== plan.height) {
    const distorts = Math.abs(width / height / (plan.width / plan.height) - 1) > 0.01;
    // With an aspect of its own the picture is stretched on purpose; else bars keep its shape.
    if (distorts && aspect === null) {
      chain.push(`scale=${width}:${height}:force_original_aspect_ratio=decrease:force_divisible_by=2`);
      chain.push(`pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`);
    } else chain.push(`scale=${width}:${height}:flags=bicubic`);
  }
  chain.push(aspect === null ? 'setsar=1' : `setdar=${aspect.replace(':', '/')}`);
  return chain.join(',');
}

function videoArgs({ settings, gop }: VideoStreamPlan, i: number): string[] {
  const options = settings.codec === 'hevc' ? settings.hevc : settings.h264;
  const common = [
    ...[`-preset:v:${i}`, settings.preset, `-tune:v:${i}`, 'zerolatency', `-g:v:${i}`, String(gop)],
    // A VBV of one second: a segment may exceed its rate by a sixth at most at 6 s, and a cut in the picture keeps its quality.
    ...[
      `-b:v:${i}`,
      `${settings.bitrate}k`,
      `-maxrate:v:${i}`,
      `${settings.bitrate}k`,
      `-bufsize:v:${i}`,
      `${settings.bitrate}k`,
    ],
    ...(options.profile === null ? [] : [`-profile:v:${i}`, options.profile]),
  ];
  if (settings.codec === 'hevc') {
    // x265 takes keyframe distance and level by its own list only; scene cuts would break the alignment of the ladder.
    const level = options.level === null ? '' : `:level-idc=${options.level}`;
    const params = `keyint=${gop}:min-keyint=${gop}:scenecut=0:open-gop=0:repeat-headers=1:log-level=warning${level}`;
    return [`-c:v:${i}`, 'libx265', ...common, `-x265-params:v:${i}`, params];
  }
  const exact = [`-keyint_min:v:${i}`, String(gop), `-sc_threshold:v:${i}`, '0'];
  return [
    `-c:v:${i}`,
    'libx264',
    ...common,
    ...exact,
    ...(options.level === null ? [] : [`-level:v:${i}`, options.level]),
  ];
}

function audioArgs({ settings }: AudioStreamPlan, i: number): string[] {
  const { codec, bitrate, channels } = settings;
  // Opus knows 48 kHz only (RFC 6716 §2.1.3 codes lower ones as bandwidth).
  const rate = codec === 'opus' ? SAMPLE_RATE : settings.sample_rate;
  const encoder = ['-c:a:' + String(i), AUDIO_ENCODERS[codec] ?? codec];
  return [...encoder, `-b:a:${i}`, `${bitrate}k`, `-ac:a:${i}`, String(channels), `-ar:a:${i}`, String(rate)];
}

/** A program for each rendition, so that every video stream carries its own PCR; a shared sound stream is listed in several. */
function programs({ renditions, videos, audios }: LadderPlan): string[] {
  return renditions.flatMap(({ video, audio }, i) => {
    const streams = [
      ...(video === undefined ? [] : [videos.indexOf(video)]),
      ...(audio === undefined ? [] : [videos.length + audios.indexOf(audio)]),
    ];
    return ['-program', [`program_num=${i + 1}`, ...streams.map((stream) => `st=${stream}`)].join(':')];
  });
}

/** Seconds between frames of the clock. */
export function frameSeconds(plan: LadderPlan): number {
  return 1 / fpsOf(plan.rate);
}
