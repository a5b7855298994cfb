/**
 * Arguments of the one encoder: raw programme in on fd 3 and 4, progress on fd 5. All renditions leave as one transport stream on fd 1;
 * with codecs that it cannot hold they leave as fragments of MP4, a track on each descriptor from 6 on.
 */
import { iso639 } from '../../../domain/shapes/sources/language.ts';
import { videoGraph } from '../ladder/video-graph.ts';
import { SAMPLE_RATE } from '../ladder/ladder-plan.ts';
import type { AudioStreamPlan, LadderPlan } from '../ladder/ladder-plan.ts';
import { layoutOf, SURROUND } from '../ladder/track-plan.ts';
import { rateArgument } from '../ladder/frame-rate.ts';
import { fragmentArgs } from './fragment-args.ts';
import type { MasteringData } from '../light/mastering-data.ts';
import { videoArgs } from './video-args.ts';

const AUDIO_ENCODERS: Record<string, string> = { mp4a: 'aac', mp3: 'libmp3lame', opus: 'libopus', mpga: 'mp2' };

/** Every command begins with these: no questions on stdin, the level in each line of stderr. */
export const QUIET = ['-hide_banner', '-nostdin', '-loglevel', 'level+warning'];

/** Descriptor of the first track of a fragmented plan; the others follow, video first. */
export const FIRST_TRACK_FD = 6;

/**
 * `offsetSeconds` shifts every time stamp: a restarted encoder goes on where the last one ended. Its audio begins `audioOffset` seconds
 * after that; the offset may be negative. `mastering` is what the source says of its light, `hardware` opens what encoders in hardware need.
 */
export function encoderArgs(
  plan: LadderPlan,
  offsetSeconds: number,
  audioOffset = 0,
  { mastering, hardware = [] }: { mastering?: MasteringData | undefined; hardware?: readonly string[] } = {},
): string[] {
  return [
    ...QUIET,
    ...hardware,
    ...inputs(plan, audioOffset),
    ...graphArgs(plan),
    ...['-progress', 'pipe:5', '-stats_period', '0.5'],
    ...(plan.fragmented ? trackOutputs(plan, offsetSeconds, mastering) : streamOutput(plan, offsetSeconds, mastering)),
  ];
}

function streamOutput(plan: LadderPlan, offsetSeconds: number, mastering?: MasteringData): string[] {
  return [
    ...plan.videos.flatMap((_, i) => ['-map', `[v${i}]`]),
    ...plan.audios.flatMap((_, i) => ['-map', audioInput(plan, i)]),
    ...plan.videos.flatMap((stream, i) => videoArgs(stream, i, mastering)),
    ...plan.audios.flatMap(audioArgs),
    ...trackLabels(plan.audios),
    ...programs(plan),
    ...muxing(offsetSeconds),
    ...muxerArgs,
    ...['-f', 'mpegts', 'pipe:1'],
  ];
}

function trackOutputs(plan: LadderPlan, offsetSeconds: number, mastering?: MasteringData): string[] {
  const tracks = [
    ...plan.videos.map((stream, i) => ['-map', `[v${i}]`, ...videoArgs(stream, 0, mastering)]),
    ...plan.audios.map((stream, i) => {
      return ['-map', audioInput(plan, i), ...audioArgs(stream, 0), ...trackLabels([stream])];
    }),
  ];
  // Each frame is a fragment: whether the encoder lives, and at which rate, is seen at once.
  return tracks.flatMap((args, i) => [
    ...args,
    ...muxing(offsetSeconds),
    ...fragmentArgs('frag_every_frame', FIRST_TRACK_FD + i),
  ]);
}

/** Stereo or mono without other sound beside it needs no filter. */
function isPlain({ forms }: LadderPlan): boolean {
  return forms.length === 1 && forms[0]!.channels < SURROUND;
}

function audioInput(plan: LadderPlan, i: number): string {
  return isPlain(plan) ? `${plan.hasVideo ? 1 : 0}:a:0` : `[a${i}]`;
}

/** Says the languages of audio streams: a transport stream has them in descriptors of ISO 639, MP4 in its media headers. */
export function trackLabels(streams: readonly AudioStreamPlan[]): string[] {
  return streams.flatMap(({ track }, i) => [`-metadata:s:a:${i}`, `language=${iso639(track.language)}`]);
}

function muxing(offsetSeconds: number): string[] {
  return ['-max_muxing_queue_size', '400', '-output_ts_offset', offsetSeconds.toFixed(6)];
}

/**
 * The muxer adds no delay and puts every audio frame into its own PES (the default gathers up to 180 ms). It writes tables often enough for
 * a joiner, a clock with every frame (the default is the largest multiple of a frame below 100 ms), and the length of a frame that is no
 * longer than a length can be: a reader without it knows the end of a frame by the beginning of the next.
 */
export const muxerArgs = [
  ...['-muxdelay', '0', '-muxpreload', '0', '-pes_payload_size', '0', '-pat_period', '0.2', '-pcr_period', '20'],
  ...['-omit_video_pes_length', '0', '-mpegts_flags', '+resend_headers', '-flush_packets', '1'],
];

function inputs({ hasVideo, width, height, samples, rate, sentBytes }: LadderPlan, audioOffset: number): string[] {
  // There is nothing to probe: the sizes are ours. The defaults would wait for 5 s of input; nobuffer would lose the frame that is looked
  // at.
  const video = [
    ...['-probesize', '32', '-analyzeduration', '0', '-fpsprobesize', '0', '-thread_queue_size', '8'],
    ...[
      '-f',
      'rawvideo',
      '-pix_fmt',
      samples,
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
    ...(audioOffset === 0 ? [] : ['-itsoffset', audioOffset.toFixed(6)]),
    ...['-f', 's16le', '-ar', String(SAMPLE_RATE), '-ac', String(sentBytes / 2), '-i', 'pipe:4'],
  ];
  return hasVideo ? [...video, ...audio] : audio;
}

function graphArgs(plan: LadderPlan): string[] {
  const parts = [...(plan.hasVideo ? videoGraph(plan) : []), ...(isPlain(plan) ? [] : audioGraph(plan))];
  return parts.length === 0 ? [] : ['-filter_complex', parts.join(';')];
}

/** Takes the channels of each stream out of what comes. */
function audioGraph({ audios, hasVideo }: LadderPlan): string[] {
  if (audios.length === 0) return [];
  const split = `[${hasVideo ? 1 : 0}:a]asplit=${audios.length}${audios.map((_, i) => `[t${i}]`).join('')}`;
  return [split, ...audios.map((stream, i) => `[t${i}]${trackFilter(stream)}[a${i}]`)];
}

function trackFilter({ form: { channels, offset } }: AudioStreamPlan): string {
  const taken = Array.from({ length: channels }, (_, i) => `c${i}=c${offset + i}`).join('|');
  return `pan=${layoutOf(channels)}|${taken}`;
}

/** Returns the options of audio stream `i` of an output. */
export function audioArgs({ settings }: AudioStreamPlan, i: number): string[] {
  const { codec, bitrate, channels } = settings;
  // Opus knows 48 kHz only (RFC 6716 §2.1.3 codes lower ones as bandwidth).
  const rate = codec === 'opus' ? SAMPLE_RATE : settings.sample_rate;
  const encoder = ['-c:a:' + String(i), AUDIO_ENCODERS[codec] ?? codec];
  return [...encoder, `-b:a:${i}`, `${bitrate}k`, `-ac:a:${i}`, String(channels), `-ar:a:${i}`, String(rate)];
}

/** Each rendition has a program, so that every video stream carries its own PCR; a shared audio stream is listed in several. */
function programs({ renditions, videos, audios }: LadderPlan): string[] {
  return renditions.flatMap(({ video, audios: own }, i) => {
    const streams = [
      ...(video === undefined ? [] : [videos.indexOf(video)]),
      ...own.map((audio) => videos.length + audios.indexOf(audio)),
    ];
    return ['-program', [`program_num=${i + 1}`, ...streams.map((stream) => `st=${stream}`)].join(':')];
  });
}
