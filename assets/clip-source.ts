/** The media that a clip is cut out of: the files of a Recording, which may still be written, or be deleted meanwhile. */
import { open, type FileHandle } from 'node:fs/promises';
import type { ClipOrder } from '../domain/control.ts';
import { AppError, ruleViolated } from '../domain/errors.ts';
import { probeMedia, type ProbedMedia, type ProbedTrack } from '../device/ffmpeg/media-probe.ts';

interface Piece {
  /** ffmpeg gets it open: what it is to read is there whatever becomes of its name. */
  fd: number;
  media: ProbedMedia;
  /** On the time line of the Recording, in seconds. */
  from: number;
}

export interface ClipSource {
  /** Those that the clip lies in. */
  pieces: Piece[];
  /** Where the clip begins and ends in them, counted from the beginning of the first. */
  start: number;
  end: number;
  /** Whether a seek in it comes out where it was asked for, or before. */
  hasIndex: boolean;
  tracks: ProbedTrack[];
}

/** What the caller may be wrong by when it repeats a rounded duration. */
const ROUNDING_SECONDS = 0.001;

/** Opens all files before anything is read of them, and closes them after `use`: what is deleted meanwhile stays readable for it. */
export async function withClipSource<T>(order: ClipOrder, use: (source: ClipSource) => Promise<T>): Promise<T> {
  const handles: FileHandle[] = [];
  try {
    for (const path of order.files) handles.push(await open(path, 'r'));
    return await use(await sourceOf(handles, order));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // Its parts have just become one file.
    throw new AppError('unavailable', 'The media of the Recording was moved just now. Call createClip again.', {
      cause: error,
    });
  } finally {
    await Promise.all(handles.map((handle) => handle.close()));
  }
}

async function sourceOf(handles: readonly FileHandle[], order: ClipOrder): Promise<ClipSource> {
  const pieces: Piece[] = [];
  let length = 0;
  for (const { fd } of handles) {
    // A part that has only its header so far, or a torn one, which the joining leaves out too.
    const media = await probeMedia(fd).catch(() => undefined);
    if (media === undefined) continue;
    pieces.push({ fd, media, from: length });
    length += media.seconds;
  }
  if (pieces.length === 0)
    throw new AppError('unavailable', 'There is no media in the Recording yet. Try again in some seconds.');
  assertWithin(order, length);
  const cut = pieces.filter(({ from, media }) => from < order.out && from + media.seconds > order.in);
  const [first] = cut;
  if (first === undefined || cut.some((piece) => !isAlike(piece, first))) throw notAlike(cut);
  const { tracks } = first.media;
  const hasIndex = !order.files.some((path) => path.endsWith('.ts'));
  return { pieces: cut, start: order.in - first.from, end: order.out - first.from, hasIndex, tracks };
}

function assertWithin({ in: start, out: end }: ClipOrder, length: number): void {
  const seconds = Math.floor(length * 1000) / 1000;
  const field = start >= length ? 'in' : end > length + ROUNDING_SECONDS ? 'out' : undefined;
  if (field === undefined) return;
  throw ruleViolated(`The Recording has ${seconds} s now; ${field} is ${field === 'in' ? start : end}.`, [
    {
      field,
      code: 'too_large',
      message: `is beyond the end of the Recording, which has ${seconds} s now`,
      max: seconds,
    },
  ]);
}

function isAlike({ media }: Piece, first: Piece): boolean {
  const setUps = ({ tracks }: ProbedMedia): string => tracks.map(({ setUp }) => setUp).join();
  return setUps(media) === setUps(first.media);
}

function notAlike(cut: readonly Piece[]): AppError {
  const seams = cut.slice(1).map(({ from }) => Number(from.toFixed(3)));
  return ruleViolated(
    `The Recording changes its format at ${seams.join(', ')} s, and no clip can lie on both sides. Cut one on each side.`,
    [{ field: 'out', code: 'format_change', message: `lies behind a change of format at ${seams[0] ?? 0} s` }],
  );
}
