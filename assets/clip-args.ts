/** Arguments of the ffmpeg that cuts a clip, and of the ffprobe that asks where its first keyframe is. */
import type { ClipOrder } from '../domain/control.ts';
import { ruleViolated } from '../domain/errors.ts';
import type { ProbedTrack } from '../device/ffmpeg/media-probe.ts';
import type { ClipSource } from './clip-source.ts';
import { CONTAINERS, inputRules } from '../device/ffmpeg/input-rules.ts';
import { inheritedFile } from '../device/ffmpeg/run.ts';
import { hevcTags } from '../device/media/arguments/publisher-args.ts';

/** Below the distance of two pictures at any rate, above what a person rounds away. */
const EPSILON = 0.001;
/** No keyframe distance that can be set is longer. */
const MAX_GOP = 30;

/** Microseconds are what ffmpeg counts in. */
function seconds(value: number): string {
  return value.toFixed(6);
}

/** Several pieces are read through a list, which has their lengths: only so can it be sought in. */
export function listOf({ pieces }: ClipSource): string | undefined {
  if (pieces.length === 1) return undefined;
  const lines = pieces.map(({ media }, at) => `file 'file:${inheritedFile(at)}'\nduration ${media.seconds}`);
  return `ffconcat version 1.0\n${lines.join('\n')}\n`;
}

/** The pieces are the files that ffmpeg gets open; `list`: path of the list of them, where there are several. */
export function inputOf(list: string | undefined): string[] {
  const rules = (formats: string): string[] => inputRules({ protocols: 'file', formats });
  if (list === undefined) return [...rules(CONTAINERS), '-i', `file:${inheritedFile(0)}`];
  return [...rules(`concat,${CONTAINERS}`), '-auto_convert', '0', '-f', 'concat', '-safe', '0', '-i', `file:${list}`];
}

/** The track asked for, with the sound where it is a picture; else the largest picture and the first sound. Throws AppError. */
export function chosenTracks({ tracks }: Pick<ClipSource, 'tracks'>, trackId: number | undefined): ProbedTrack[] {
  const sound = tracks.find(({ kind }) => kind === 'audio');
  const area = ({ width, height }: ProbedTrack): number => (width ?? 0) * (height ?? 0);
  const pictures = tracks.filter(({ kind }) => kind === 'video').sort((a, b) => area(b) - area(a));
  const chosen = trackId === undefined ? (pictures[0] ?? sound) : tracks.find((track) => track.trackId === trackId);
  if (chosen === undefined) {
    const allowed = tracks.map((track) => track.trackId);
    throw ruleViolated(`The Recording has no track ${trackId}; it has ${allowed.join(', ')}.`, [
      { field: 'trackId', code: 'unknown', message: 'is no track of the Recording', allowed },
    ]);
  }
  return chosen.kind === 'video' && sound !== undefined ? [chosen, sound] : [chosen];
}

const HEAD = ['-hide_banner', '-nostdin', '-loglevel', 'error', '-y'];
const PROGRESS = ['-progress', 'pipe:1', '-stats_period', '0.25'];
const MP4 = ['-map_metadata', '-1', '-movflags', '+faststart', '-f', 'mp4'];

/**
 * `start` as the source has it: `in`, or the keyframe before. A seek in a transport stream, which has no index, may come out behind what it
 * was asked for; so it is asked for what lies well before, and the rest is read and left out.
 */
export function cutArgs(
  source: ClipSource,
  { mode, start }: Pick<ClipOrder, 'mode'> & { start: number },
  tracks: readonly ProbedTrack[],
  input: readonly string[],
  target: string,
): string[] {
  const maps = tracks.flatMap(({ trackId }) => ['-map', `0:${trackId - 1}`]);
  const isCopy = mode === 'keyframe';
  // Who rounds the time of a picture up means that picture all the same; a seek alone comes out at the keyframe before what it is asked for.
  const from = Math.max(0, isCopy && source.hasIndex ? start + EPSILON : start - EPSILON);
  const seek = source.hasIndex ? from : Math.max(0, from - MAX_GOP);
  const skip = source.hasIndex ? [] : ['-ss', seconds(from - seek)];
  const length = ['-t', seconds(source.end - EPSILON - from)];
  const coding = isCopy ? copyArgs(tracks) : encodeArgs(tracks);
  const output = [...skip, ...length, ...coding, ...PROGRESS, ...MP4, `file:${target}`];
  return [...HEAD, '-ss', seconds(seek), ...input, ...maps, ...output];
}

/** From its keyframe on, with time from 0. */
function copyArgs(tracks: readonly ProbedTrack[]): string[] {
  const pictures = tracks.filter(({ kind }) => kind === 'video').map(({ codec }) => codec);
  return ['-c', 'copy', ...hevcTags(pictures), '-avoid_negative_ts', 'make_zero'];
}

/**
 * All of it is coded anew, so that every picture between can be the first and the last: near what it was made of (CRF 16, 18 for HEVC), each
 * with the time that it had.
 */
function encodeArgs(tracks: readonly ProbedTrack[]): string[] {
  const isHevc = tracks[0]?.codec === 'hevc';
  const video = isHevc
    ? ['-c:v', 'libx265', '-preset', 'fast', '-crf', '18', '-x265-params', 'log-level=error', '-tag:v', 'hvc1']
    : ['-c:v', 'libx264', '-preset', 'fast', '-crf', '16', '-pix_fmt', 'yuv420p'];
  const times = ['-fps_mode', 'passthrough', '-enc_time_base', '-1'];
  const audio = ['-c:a', 'aac', '-b:a', '256k'];
  return [
    ...(tracks.some(({ kind }) => kind === 'video') ? [...video, ...times] : []),
    ...(tracks.some(({ kind }) => kind === 'audio') ? audio : []),
  ];
}

/** Asks for the times of the packets before `start`, and which of them are keyframes. */
export function keyframeArgs(source: ClipSource, { trackId }: ProbedTrack, input: readonly string[]): string[] {
  const { start } = source;
  const begin = timeIn(source, Math.max(0, start - MAX_GOP));
  const interval = ['-select_streams', String(trackId - 1), '-read_intervals', `${begin}%${timeIn(source, start + 1)}`];
  const shown = ['-show_entries', 'packet=pts_time,flags', '-of', 'csv=p=0'];
  return ['-hide_banner', '-loglevel', 'error', ...interval, ...shown, ...input];
}

/** What keyframeArgs were answered: the last keyframe at or before `start`; undefined: there is none so near. */
export function lastKeyframe(source: ClipSource, answer: string): number | undefined {
  const zero = source.pieces.length === 1 ? source.pieces[0]!.media.startsAt : 0;
  const keyframes = answer
    .split('\n')
    .filter((line) => /,K/u.test(line))
    .map((line) => Number.parseFloat(line) - zero)
    .filter((time) => time <= source.start + EPSILON);
  return keyframes.length === 0 ? undefined : Math.max(0, ...keyframes);
}

/** On the file's own time line; a list begins at 0. */
function timeIn({ pieces }: ClipSource, time: number): string {
  return seconds(time + (pieces.length === 1 ? pieces[0]!.media.startsAt : 0));
}
