/** How a Device sends the files of a Recording to the bucket: growing ones in pieces, finished ones whole. */
import { AppError } from '../../domain/base/errors.ts';
import type { DeviceRecordings } from '../../domain/ports/device-link.ts';
import type { MediaBucket } from '../../domain/ports/media-bucket.ts';
import { PIECE_BYTES, pieceKey, tailKey } from '../../domain/rules/media/recording-objects.ts';
import type { Recording, RecordingPieces } from '../../domain/shapes/media/recording.ts';

export interface Sender {
  row: Readonly<Recording>;
  recordings: DeviceRecordings;
  bucket: MediaBucket;
}

const LINK_SECONDS = 3600;
/** S3 takes parts of 5 MiB or more, and 10,000 of them. One of this size takes a minute on a slow line (2 Mbit/s). */
const PART_BYTES = 16 << 20;
const MAX_PARTS = 9000;
/** A file that a run writes. What the Device makes of several when its run is over is sent whole. */
const WRITTEN = /-\d+\.(?:mp4|ts)$/u;

/**
 * Sends what has grown. `note` stores what is in the bucket of a file, with the object that is outdated by it, and resolves with false when
 * the Recording needs no more.
 */
export async function sendGrowth(
  { row, recordings, bucket }: Sender,
  note: (part: RecordingPieces, outdated?: string) => Promise<boolean>,
): Promise<void> {
  for (const { name, bytes } of await recordings.filesOf(row)) {
    if (!WRITTEN.test(name)) continue;
    const before = row.objects?.parts.find((part) => part.name === name) ?? { name, pieces: 0, tail: 0 };
    let part = before;
    const send = async (key: string, to: number): Promise<void> => {
      const url = await bucket.linkToWrite(key, LINK_SECONDS);
      await recordings.send(row, { name, from: part.pieces * PIECE_BYTES, to, url });
    };
    while ((part.pieces + 1) * PIECE_BYTES <= bytes) {
      await send(pieceKey(row, name, part.pieces), (part.pieces + 1) * PIECE_BYTES);
      const outdated = part.tail === 0 ? undefined : tailKey(row, name, part.pieces);
      part = { name, pieces: part.pieces + 1, tail: 0 };
      if (!(await note(part, outdated))) return;
    }
    const tail = bytes - part.pieces * PIECE_BYTES;
    // A tail is sent anew when it has doubled, so that all of them are no more than the file; one that comes so fast is a piece next time.
    if (part.pieces > before.pieces || tail < Math.max(1, 2 * part.tail)) continue;
    await send(tailKey(row, name, part.pieces), bytes);
    if (!(await note({ ...part, tail }))) return;
  }
}

/** Sends a file that does not change any more. `rateOf` answers bytes a second, as they are due at each part; undefined: no bound. */
export async function sendFile(
  { row, recordings, bucket }: Sender,
  { name, bytes, key }: { name: string; bytes: number; key: string },
  rateOf: () => number | undefined,
): Promise<void> {
  const object = await bucket.begin(key);
  try {
    const partBytes = Math.max(PART_BYTES, Math.ceil(bytes / MAX_PARTS));
    const tags: string[] = [];
    for (let from = 0; from < bytes; from += partBytes) {
      const url = await object.linkToPart(tags.length + 1, LINK_SECONDS);
      const range = { name, from, to: Math.min(bytes, from + partBytes), url, bytesPerSecond: rateOf() };
      tags.push(await recordings.send(row, range));
    }
    await object.complete(tags);
  } catch (error) {
    await object.abandon();
    throw error;
  }
  const there = await bucket.sizeOf(key);
  if (there === bytes) return;
  throw new AppError(
    'upstream_failed',
    `The ${bucket.name} has ${there ?? 'no'} bytes of ${name}, which has ${bytes}.`,
  );
}
