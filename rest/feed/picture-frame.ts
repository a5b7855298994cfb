/** A picture as bytes of the stream of pictures: a header of 28 bytes, big-endian, and the JPEG. */
import { SILENCE_DBFS, type LivePicture } from '../../domain/shapes/broadcasts/live-picture.ts';

const HEADER_BYTES = 28;
const NO_SOUND = -32_768;

export function pictureFrame(livestreamId: number, { jpeg, takenAt, width, peaks, flags }: LivePicture): Uint8Array {
  const [left, right] = peaks ?? [SILENCE_DBFS, SILENCE_DBFS];
  const bytes = Buffer.alloc(HEADER_BYTES + jpeg.length);
  bytes.writeUInt32BE(jpeg.length, 0);
  bytes.writeUInt32BE(livestreamId, 4);
  bytes.writeDoubleBE(takenAt, 8);
  bytes.writeInt16BE(tenths(left), 16);
  bytes.writeInt16BE(tenths(right), 18);
  bytes.writeUInt16BE(flags, 20);
  bytes.writeUInt16BE(width, 22);
  // Four bytes are left for later.
  bytes.writeUInt32BE(0, 24);
  bytes.set(jpeg, HEADER_BYTES);
  return bytes;
}

function tenths(dbfs: number): number {
  return dbfs <= SILENCE_DBFS ? NO_SOUND : Math.round(dbfs * 10);
}
