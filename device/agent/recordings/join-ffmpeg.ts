/** The ffmpeg that copies the parts of a Recording into one file. */
import { CONTAINERS, inputRules } from '../../ffmpeg/input-rules.ts';
import { runMedia } from '../../ffmpeg/run.ts';
import { hevcTags } from '../../media/arguments/publisher-args.ts';
import type { ProbedMedia } from '../../ffmpeg/media-probe.ts';
import type { StoredFile } from './stored-recordings.ts';

/** No disk that can record is slower; a usual one copies at 200 MB/s and more. */
const SLOWEST_BYTES_PER_SECOND = 4_000_000;
const MIN_MS = 60_000;
/** Broadcasts go first; a small copy is over before anybody notices, and keeps its priority. */
const LOW_PRIORITY = 15;
const QUICK_BYTES = 64 << 20;

export interface Part {
  file: StoredFile;
  media: ProbedMedia;
}

/** The join cannot be done now, but later, when there is space. */
export class DiskFull extends Error {}

/**
 * `head` is a file without media whose tracks describe the parts. The Device's folder may have a quote in its path; ffmpeg's escape for one
 * is '\''.
 */
export function ffconcat(parts: readonly Part[], head?: string): string {
  const files = parts.map(({ file, media }) => ({ path: file.path, seconds: media.seconds }));
  const lines = [...(head === undefined ? [] : [{ path: head, seconds: 0 }]), ...files].map(
    ({ path, seconds }) => `file 'file:${path.replaceAll("'", "'\\''")}'\nduration ${seconds}`,
  );
  return `ffconcat version 1.0\n${lines.join('\n')}\n`;
}

/** auto_convert is off: the parts were found to have equal set-ups, so nothing is converted between them. */
function joinArgs(container: StoredFile['container'], first: Part, list: string, target: string): string[] {
  const pictures = first.media.tracks.filter(({ kind }) => kind === 'video').map(({ codec }) => codec);
  return [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-y', '-auto_convert', '0'],
    ...inputRules({ protocols: 'file', formats: `concat,${CONTAINERS}` }),
    ...['-f', 'concat', '-safe', '0', '-i', `file:${list}`, '-map', '0', '-c', 'copy'],
    ...(container === 'mp4' ? [...hevcTags(pictures), '-movflags', '+faststart', '-f', 'mp4'] : ['-f', 'mpegts']),
    `file:${target}`,
  ];
}

export interface Join {
  container: StoredFile['container'];
  parts: readonly Part[];
  /** The head that the list names; undefined when it names none. */
  head: string | undefined;
  list: string;
  target: string;
}

/** Rejects with DiskFull on a full disk, and with Error in ffmpeg's words. */
export async function runJoin({ container, parts, head, list, target }: Join, signal: AbortSignal): Promise<void> {
  const bytes = parts.reduce((sum, { file }) => sum + file.bytes, 0);
  const args = joinArgs(container, parts[0]!, list, target);
  const outcome = await runMedia('ffmpeg', args, {
    access: {
      reads: [list, ...(head === undefined ? [] : [head]), ...parts.map(({ file }) => file.path)],
      writes: [target],
    },
    limitMs: MIN_MS + Math.ceil((bytes / SLOWEST_BYTES_PER_SECOND) * 1000),
    signal,
    ...(bytes > QUICK_BYTES && { niceness: LOW_PRIORITY }),
  });
  const { code, signal: killed, stderr, failure } = outcome;
  if (code === 0) return;
  if (failure !== undefined) throw failure;
  const words = stderr.trim().split('\n').at(-1) ?? '';
  if (words.includes('No space left')) throw new DiskFull(`The Device's disk is full; its parts are kept.`);
  throw new Error(words === '' ? `ffmpeg ended (${killed ?? `exit code ${code}`}).` : words.slice(0, 300));
}
