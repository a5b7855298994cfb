/** Arguments of the copy publishers: the fan-out's transport stream on stdin, one Destination out, progress on fd 3. */
import type { TrackPlan } from '../ladder/track-plan.ts';
import { QUIET } from './encoder-args.ts';

/** Our own stream needs little probing; ffmpeg's defaults hold the first byte back for 3.8 s. */
const ONE_RENDITION = ['-probesize', '200000', '-analyzeduration', '100000', '-fpsprobesize', '0'];
const ALL_RENDITIONS = ['-probesize', '1000000', '-analyzeduration', '300000', '-fpsprobesize', '0'];
const TS_IN = ['-f', 'mpegts', '-i', 'pipe:0'];
export const PROGRESS = ['-progress', 'pipe:3', '-stats_period', '0.25'];
/** The input for one program of the fan-out, which is copied. */
export const copyInputArgs = [...QUIET, ...ONE_RENDITION, ...TS_IN];
/** ffmpeg only carries these bytes, in the pieces in which they come: it starts at once, and no demuxer or muxer touches them. */
export const bytesIn = [
  ...[...QUIET, '-fflags', 'nobuffer', '-probesize', '32', '-f', 'data', '-raw_packet_size', '16384', '-i', 'pipe:0'],
  ...['-map', '0', '-c', 'copy'],
];
export const bytesOut = ['-f', 'data', ...PROGRESS];

/** Tags the video streams of an MP4 in their order: players of Apple take hvc1 only, and another codec does not take that tag. */
export function hevcTags(codecs: readonly string[]): string[] {
  return codecs.flatMap((codec, i) => (codec === 'hevc' ? [`-tag:v:${i}`, 'hvc1'] : []));
}

export interface RecordFormat {
  container: 'mp4' | 'ts';
  /** Codecs of all its renditions. */
  video: string[];
  audio: string[];
  /** Name of each audio stream, and whether players begin with it; without them the first. */
  labels?: readonly Pick<TrackPlan, 'name' | 'isDefault'>[];
}

/** A process that is killed loses so much. Shorter fragments cost a header of some 100 bytes a track each. */
const FRAGMENT_MICROSECONDS = '500000';

/**
 * Fragmented MP4 can be read up to the last fragment after a crash. ffmpeg never replaces a file (-n). delay_moov writes the index with the
 * first fragment: the AudioSpecificConfig of AAC from a transport stream is known with its first frame only, and with empty_moov the file
 * lacks it.
 */
export function recordArgs({ container, video, audio, labels = [] }: RecordFormat, path: string): string[] {
  const mp4 = [
    ...audio.flatMap((codec, i) => (codec === 'mp4a' || codec === 'copy' ? [`-bsf:a:${i}`, 'aac_adtstoasc'] : [])),
    ...hevcTags(video),
    // The languages come with the transport stream. Players of MP4 show the name of the handler.
    ...labels.flatMap(({ name }, i) => [`-metadata:s:a:${i}`, `handler_name=${name}`]),
    ...labels.flatMap(({ isDefault }, i) => [`-disposition:a:${i}`, isDefault ? 'default' : '0']),
    ...['-f', 'mp4', '-movflags', '+frag_keyframe+delay_moov+default_base_moof'],
    ...['-frag_duration', FRAGMENT_MICROSECONDS],
  ];
  return [
    ...[...QUIET, '-n', ...ALL_RENDITIONS, ...TS_IN, '-map', '0', '-c', 'copy'],
    ...(container === 'mp4' ? mp4 : ['-f', 'mpegts']),
    ...[...PROGRESS, '-flush_packets', '1', `file:${path}`],
  ];
}
