/** Writes rows of history as a gzip file with a JSON object a line, in the order of their ids. A part of them is in memory at a time. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Store } from '../../domain/ports/store.ts';
import type { ArchivedName, ArchiveRange } from '../../domain/shapes/installation/archive.ts';

/** Rows that are read at once, about a megabyte. */
const TOGETHER = 2000;

/** Keeps the disk from filling up. */
export interface Room {
  /** It is called before `bytes` are written. Rejects with AppError unavailable. */
  take(bytes: number): Promise<void>;
}

export interface Written {
  rows: number;
  /** Size of the file. */
  bytes: number;
  /** Hash of the file, in hexadecimal digits. */
  sha256: string;
}

/** Replaces what is at `path`. Rejects with AppError as the store and the room do, and with the reason of `signal`. */
export async function writeRows(
  store: Pick<Store, 'find'>,
  name: ArchivedName,
  range: ArchiveRange,
  to: { path: string; room: Room; signal: AbortSignal },
): Promise<Written> {
  const written = { rows: 0, bytes: 0 };
  const hash = createHash('sha256');
  await pipeline(
    async function* lines() {
      for (let from = range.from_id; from <= range.to_id; from += TOGETHER) {
        const id = { gte: from, lt: Math.min(from + TOGETHER, range.to_id + 1) };
        const { rows } = await store.find(name, { where: { id } });
        written.rows += rows.length;
        if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      }
    },
    createGzip(),
    async function* measured(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        await to.room.take(chunk.length);
        hash.update(chunk);
        written.bytes += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(to.path, { mode: 0o600 }),
    { signal: to.signal },
  );
  return { ...written, sha256: hash.digest('hex') };
}
