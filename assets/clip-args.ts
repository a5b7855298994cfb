/** Arguments of the ffmpeg that cuts a clip, and of the ffprobe that looks for its first keyframe. */
import type { ClipOrder } from '../domain/ports/control.ts';
import { ruleViolated } from '../domain/base/errors.ts';
import type { ProbedTrack } from '../device/ffmpeg/media-probe.ts';
import type { ClipSource } from './clip-source.ts';
import { CONTAINERS, inputRules } from '../device/ffmpeg/input-rules.ts';
import { inheritedFile } from '../device/ffmpeg/run.ts';
import { hevcTags } from '../device/media/arguments/publisher-args.ts';

/** It is below the distance of two frames at any rate, and above the rounding of a person. */
const EPSILON = 0.001;
/** Seconds; no keyframe distance that can be set is longer. */
const MAX_GOP = 30;

/** ffmpeg counts in microseconds. */
function seconds(value: number): string {
  return value.toFixed(6);
}

/** Several pieces are read through a list with their lengths: without those a seek would fail. */
export function listOf({ pieces }: ClipSource): string | undefined {
  if (pieces.length === 1) return undefined;
  const lines = pieces.map(({ media }, at) => `file 'file:${inheritedFile(at)}'\nduration ${media.seconds}`);
  return `ffconcat version 1.0\n${lines.join('\n')}\n`;
}

/** ffmpeg inherits the pieces as open files; `list` is the path of their list, where there are several. */
export function inputOf(list: string | undefined): string[] {
  const rules = (formats: string): string[] => inputRules({ protocols: 'file', formats });
  if (list === undefined) return [...rules(CONTAINERS), '-i', `file:${inheritedFile(0)}`];
  return [...rules(`concat,${CONTAINERS}`), '-auto_convert', '0', '-f', 'concat', '-safe', '0', '-i', `file:${list}`];
}

/**
 * The track `trackId`, with the first audio track where it is video; without an id the largest video track and the first audio track.
 * Throws AppError rule_violated.
 */
export function chosenTracks({ tracks }: Pick<ClipSource, 'tracks'>, trackId: number | undefined): ProbedTrack[] {
  const sound = tracks.find(({ kind }) => kind === 'audio');
  const area = ({ width, height }: ProbedTrack): number => (width ?? 0) * (height ?? 0);
  const pictures = tracks.filter(({ kind }) => kind === 'video').sort((a, b) => area(b) - area(a));
  const chosenTrack =
    trackId === undefined ? (pictures[0] ?? sound) : tracks.find((track) => track.trackId === trackId);
  if (chosenTrack === undefined) {
    const allowed = tracks.map((track) => track.trackId);
    throw ruleViolated(`The Recording has no track ${trackId}; it has ${allowed.join(', ')}.`, [
      { field: 'trackId', code: 'unknown', message: 'is no track of the Recording', allowed },
    ]);
  }
  return chosenTrack.kind === 'video' && sound !== undefined ? [chosenTrack, sound] : [chosenTrack];
}

const HEAD = ['-hide_banner', '-nostdin', '-loglevel', 'error', '-y'];
const PROGRESS = ['-progress', 'pipe:1', '-stats_period', '0.25'];
const MP4 = ['-map_metadata', '-1', '-movflags', '+faststart', '-f', 'mp4'];
/** Sound that is coded once all segments are joined: each coder would begin with a frame of its own silence. */
const UNCODED = ['-c:a', 'pcm_f32le'];
/** MP4 has no uncoded sound, and QuickTime's form of it no Opus. */
const SEGMENT = { accurate: ['-map_metadata', '-1', '-f', 'mov'], keyframe: ['-map_metadata', '-1', '-f', 'mp4'] };
const SOUND = ['-c:a', 'aac', '-b:a', '256k'];

/**
 * `start` is in seconds of the source: `in`, or the keyframe before. A seek in a transport stream, which has no index, may end up behind
 * its target, so it goes to a point well before, and the rest is read and left out.
 */
export function cutArgs(
  source: ClipSource,
  { mode, start, isSegment }: Pick<ClipOrder, 'mode'> & { start: number; isSegment: boolean },
  tracks: readonly ProbedTrack[],
  input: readonly string[],
  target: string,
): string[] {
  const maps = tracks.flatMap(({ trackId }) => ['-map', `0:${trackId - 1}`]);
  const isCopy = mode === 'keyframe';
  // The caller may have rounded the time of a frame up and means that frame all the same; a seek alone ends up at the keyframe before its
  // target.
  const from = Math.max(0, isCopy && source.canSeekExactly ? start + EPSILON : start - EPSILON);
  const seek = source.canSeekExactly ? from : Math.max(0, from - MAX_GOP);
  const skip = source.canSeekExactly ? [] : ['-ss', seconds(from - seek)];
  const length = ['-t', seconds(source.end - EPSILON - from)];
  const coding = isCopy ? copyArgs(tracks) : encodeArgs(tracks, isSegment ? UNCODED : SOUND);
  const form = isSegment ? SEGMENT[mode] : MP4;
  const output = [...skip, ...length, ...coding, ...PROGRESS, ...form, `file:${target}`];
  return [...HEAD, '-ss', seconds(seek), ...input, ...maps, ...output];
}

/** Joins segments, which ffmpeg inherits as open files; `list` is the path of their list. Pictures stay as they are. */
export function joinArgs(
  mode: ClipOrder['mode'],
  tracks: readonly ProbedTrack[],
  list: string,
  target: string,
): string[] {
  const pictures = tracks.filter(({ kind }) => kind === 'video').map(({ codec }) => codec);
  const coding = ['-c', 'copy', ...hevcTags(pictures), ...(mode === 'accurate' ? SOUND : [])];
  return [...HEAD, ...inputOf(list), '-map', '0', ...coding, ...PROGRESS, ...MP4, `file:${target}`];
}

export function joinList(count: number): string {
  const lines = Array.from({ length: count }, (_, at) => `file 'file:${inheritedFile(at)}'`);
  return `ffconcat version 1.0\n${lines.join('\n')}\n`;
}

/** Copies from the keyframe on, with time from 0. */
function copyArgs(tracks: readonly ProbedTrack[]): string[] {
  const pictures = tracks.filter(({ kind }) => kind === 'video').map(({ codec }) => codec);
  return ['-c', 'copy', ...hevcTags(pictures), '-avoid_negative_ts', 'make_zero'];
}

/**
 * Encodes everything anew, so that any frame can be the first and the last. The quality is near that of the source (CRF 16, 18 for HEVC),
 * and each frame keeps its time.
 */
function encodeArgs(tracks: readonly ProbedTrack[], audio: readonly string[]): string[] {
  const isHevc = tracks[0]?.codec === 'hevc';
  const video = isHevc
    ? ['-c:v', 'libx265', '-preset', 'fast', '-crf', '18', '-x265-params', 'log-level=error', '-tag:v', 'hvc1']
    : ['-c:v', 'libx264', '-preset', 'fast', '-crf', '16', '-pix_fmt', 'yuv420p'];
  const times = ['-fps_mode', 'passthrough', '-enc_time_base', '-1'];
  return [
    ...(tracks.some(({ kind }) => kind === 'video') ? [...video, ...times] : []),
    ...(tracks.some(({ kind }) => kind === 'audio') ? audio : []),
  ];
}

/** Lists the times of the packets before `start`, and which of them are keyframes. */
export function keyframeArgs(source: ClipSource, { trackId }: ProbedTrack, input: readonly string[]): string[] {
  const { start } = source;
  const begin = timeIn(source, Math.max(0, start - MAX_GOP));
  const interval = ['-select_streams', String(trackId - 1), '-read_intervals', `${begin}%${timeIn(source, start + 1)}`];
  const entries = ['-show_entries', 'packet=pts_time,flags', '-of', 'csv=p=0'];
  return ['-hide_banner', '-loglevel', 'error', ...interval, ...entries, ...input];
}

/** Reads the output of keyframeArgs: the last keyframe at or before `start`, in seconds; undefined when there is none so near. */
export function lastKeyframe(source: ClipSource, answer: string): number | undefined {
  const zero = source.pieces.length === 1 ? source.pieces[0]!.media.startsAt : 0;
  const keyframes = answer
    .split('\n')
    .filter((line) => /,K/u.test(line))
    .map((line) => Number.parseFloat(line) - zero)
    .filter((time) => time <= source.start + EPSILON);
  return keyframes.length === 0 ? undefined : Math.max(0, ...keyframes);
}

/** Time in the file itself; a list begins at 0. */
function timeIn({ pieces }: ClipSource, time: number): string {
  return seconds(time + (pieces.length === 1 ? pieces[0]!.media.startsAt : 0));
}
