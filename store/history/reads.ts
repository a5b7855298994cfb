/** Reading pieces of history files. */
import { open, type FileHandle } from 'node:fs/promises';
import { parseLine } from '../files/lines.ts';
import type { AnyRow } from '../tables/table.ts';

/** Longest piece that is read at once: some milliseconds of work, and the memory of a query under way. */
export const PIECE_BYTES = 1 << 20;
/** A gap between rows up to this size is read along, because another read would cost more. */
const GAP_BYTES = PIECE_BYTES / 16;

/** Position of a line in a file. */
export interface Place {
  readonly offset: number;
  readonly length: number;
}

/** Rows in the order of the places; undefined for a row that is not as it was written. */
export async function rowsAt(path: string, places: readonly Place[]): Promise<(AnyRow | undefined)[]> {
  const found: (AnyRow | undefined)[] = places.map(() => undefined);
  const order = places.map((_, at) => at).sort((a, b) => places[a]!.offset - places[b]!.offset);
  const handle = await open(path, 'r');
  try {
    for (let at = 0; at < order.length;) {
      const { next, start, end } = togetherFrom(places, order, at);
      const bytes = await readExactly(handle, start, end - start);
      for (; at < next; at += 1) {
        const { offset, length } = places[order[at]!]!;
        found[order[at]!] = rowOf(bytes.subarray(offset - start, offset - start + length));
      }
    }
  } finally {
    await handle.close();
  }
  return found;
}

/** Rows that lie close enough together are one read, as the rows of a page mostly do. */
function togetherFrom(
  places: readonly Place[],
  order: readonly number[],
  from: number,
): { next: number; start: number; end: number } {
  const start = places[order[from]!]!.offset;
  let end = start;
  let next = from;
  for (; next < order.length; next += 1) {
    const { offset, length } = places[order[next]!]!;
    if (next > from && (offset + length - start > PIECE_BYTES || offset - end > GAP_BYTES)) break;
    end = Math.max(end, offset + length);
  }
  return { next, start, end };
}

function rowOf(bytes: Buffer): AnyRow | undefined {
  const line = { number: 0, start: 0, end: 0, bytes: bytes.subarray(0, -1), terminated: true };
  return parseLine(line) as AnyRow | undefined;
}

/** Throws when the file ends before. */
export async function readExactly(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  // Records are read as numbers in place, which must lie at multiples of eight, so the buffer has memory of its own.
  const bytes = Buffer.from(new ArrayBuffer(length));
  for (let done = 0; done < length;) {
    const { bytesRead } = await handle.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) throw new Error(`a history file ends ${length - done} bytes early`);
    done += bytesRead;
  }
  return bytes;
}
