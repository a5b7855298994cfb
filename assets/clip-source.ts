/** The media that a clip is cut out of: the files of a Recording, which may still be written, or be deleted meanwhile. */
import { open, type FileHandle } from 'node:fs/promises';
import { isShortage } from '../domain/base/absent.ts';
import type { ClipOrder } from '../domain/ports/control.ts';
import type { ClipSegment } from '../domain/shapes/media/clip.ts';
import { AppError, ruleViolated } from '../domain/base/errors.ts';
import { probeMedia, type ProbedMedia, type ProbedTrack } from '../device/ffmpeg/media-probe.ts';

interface Piece {
  /** ffmpeg inherits the open file: its content stays readable whatever happens to its name. */
  fd: number;
  media: ProbedMedia;
  /** Seconds from the beginning of the Recording. */
  from: number;
}

export interface ClipSource {
  /** The pieces that the clip lies in. */
  pieces: Piece[];
  /** Begin and end of the clip in seconds from the beginning of the first piece. */
  start: number;
  end: number;
  /** A seek ends up at its target or before. MPEG-TS has no index, so there a seek may end up later. */
  canSeekExactly: boolean;
  tracks: ProbedTrack[];
}

type Order = Pick<ClipOrder, 'files' | 'segments'>;

/** A caller that repeats a rounded duration may be wrong by so much. */
const ROUNDING_SECONDS = 0.001;

/**
 * Opens all files before anything is read of them, and closes them after `use`: files that are deleted meanwhile stay readable for it.
 * Rejects with AppError unavailable or rule_violated.
 */
export async function withClipSources<T>(order: Order, use: (sources: ClipSource[]) => Promise<T>): Promise<T> {
  const handles: FileHandle[] = [];
  try {
    for (const path of order.files) handles.push(await open(path, 'r'));
    return await use(await sourcesOf(handles, order));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // The parts have just become one file, or the Recording was deleted.
    throw new AppError('unavailable', 'The media of the Recording was moved just now. Call createClip again.', {
      cause: error,
    });
  } finally {
    await Promise.all(handles.map((handle) => handle.close()));
  }
}

/** One for each segment, whose media are all set up alike. */
async function sourcesOf(handles: readonly FileHandle[], order: Order): Promise<ClipSource[]> {
  const pieces: Piece[] = [];
  let length = 0;
  for (const { fd } of handles) {
    // The part has only its header so far, or is torn; a join leaves it out too.
    const media = await probeMedia(fd).catch((error: unknown) => {
      if (isShortage(error)) throw error;
      return undefined;
    });
    if (media === undefined) continue;
    pieces.push({ fd, media, from: length });
    length += media.seconds;
  }
  if (pieces.length === 0)
    throw new AppError('unavailable', 'There is no media in the Recording yet. Try again in some seconds.');
  const canSeekExactly = !order.files.some((path) => path.endsWith('.ts'));
  const spanned = order.segments.map((segment) => {
    assertWithin(segment, length);
    return pieces.filter(({ from, media }) => from < segment.out && from + media.seconds > segment.in);
  });
  const [first] = spanned.flat();
  const other = spanned.findIndex((own) => own.length === 0 || own.some((piece) => !isAlike(piece, first!)));
  if (first === undefined || other !== -1) throw notAlike(pieces, order.segments[Math.max(0, other)]!);
  return order.segments.map((segment, i): ClipSource => {
    const { from } = spanned[i]![0]!;
    const { tracks } = first.media;
    return { pieces: spanned[i]!, start: segment.in - from, end: segment.out - from, canSeekExactly, tracks };
  });
}

function assertWithin({ in: start, out: end, at }: ClipSegment, length: number): void {
  const seconds = Math.floor(length * 1000) / 1000;
  const field = start >= length ? 'in' : end > length + ROUNDING_SECONDS ? 'out' : undefined;
  if (field === undefined) return;
  const value = field === 'in' ? start : end;
  throw ruleViolated(`The Recording has ${seconds} s now; ${at}${field} is ${value}.`, [
    {
      field: `${at}${field}`,
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

/** `segment` is the first that has media of two kinds, or of another kind than the segments before it. */
function notAlike(pieces: readonly Piece[], segment: ClipSegment): AppError {
  const changes = pieces.slice(1).filter((piece, i) => !isAlike(piece, pieces[i]!));
  const seams = changes.map(({ from }) => Number(from.toFixed(3)));
  return ruleViolated(
    `The Recording changes its format at ${seams.join(', ')} s, and no clip can have media of both sides. Cut one on each side.`,
    [
      {
        field: `${segment.at}out`,
        code: 'format_change',
        message: `lies behind a change of format at ${seams[0] ?? 0} s`,
      },
    ],
  );
}
