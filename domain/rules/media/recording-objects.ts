/** The names of the objects that Recordings have in the bucket of ONAIR_MEDIA, and their sizes. */
import { recordingWord, type Recording, type RecordingObjects } from '../../shapes/media/recording.ts';

/**
 * A piece has always this size, so that whoever sends it again sends the same. A server of S3 takes smaller objects too, but each request
 * costs; with 3 Mbit/s a piece is 22 s.
 */
export const PIECE_BYTES = 8 << 20;

type Whose = Pick<Recording, 'livestreamId' | 'runId' | 'publishingId' | 'container'>;

/** The key of a file, from 1, of a Recording that is whole. */
export function wholeKey(whose: Whose, part: number): string {
  const { livestreamId, runId, container } = whose;
  const number = part === 1 ? '' : `-${part}`;
  return `recordings/${livestreamId}/${runId}-${recordingWord(whose)}${number}.${container}`;
}

export function pieceKey({ livestreamId }: Pick<Whose, 'livestreamId'>, name: string, piece: number): string {
  return `recordings/${livestreamId}/pieces/${name}/${String(piece).padStart(6, '0')}`;
}

/** The bytes behind so many pieces. */
export function tailKey(whose: Pick<Whose, 'livestreamId'>, name: string, pieces: number): string {
  return `${pieceKey(whose, name, pieces)}-tail`;
}

/** All keys of pieces of a Recording. */
export function keysOfPieces(whose: Pick<Whose, 'livestreamId'>, { parts }: RecordingObjects): string[] {
  return parts.flatMap(({ name, pieces, tail }) => [
    ...Array.from({ length: pieces }, (_none, piece) => pieceKey(whose, name, piece)),
    ...(tail === 0 ? [] : [tailKey(whose, name, pieces)]),
  ]);
}

/** Whether it has pieces of which something may have to be made, or that nobody needs any more. */
export function hasPieces({ status, objects }: Pick<Recording, 'status' | 'objects'>): boolean {
  return objects !== undefined && status !== 'failed' && (objects.whole === undefined || objects.parts.length > 0);
}

/** Whether something may have to be done in the bucket beyond what its Device does. */
export function isUnsettled(recording: Pick<Recording, 'status' | 'objects' | 'goes_on'>): boolean {
  const { status, objects, goes_on: goesOn } = recording;
  return hasPieces(recording) || (objects?.whole !== undefined && (goesOn !== undefined || status === 'failed'));
}

/** The objects of its own run, without those of runs in which it has gone on. */
export function ownOf(recording: Readonly<Recording>): { key: string; bytes: number }[] {
  const { objects, files } = recording;
  const keys = new Set(Array.from({ length: Math.max(1, files) }, (_none, at) => wholeKey(recording, at + 1)));
  return (objects?.whole ?? []).filter(({ key }) => keys.has(key));
}

export function totalBytes(files: readonly { bytes: number }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

export function bytesInBucket(objects: RecordingObjects | undefined): number {
  const { whole, parts = [] } = objects ?? {};
  if (whole !== undefined) return totalBytes(whole);
  return parts.reduce((sum, { pieces, tail }) => sum + pieces * PIECE_BYTES + tail, 0);
}
