/** A backup as a tar archive (POSIX.1-2001, pax), entry by entry, so that its size does not matter. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { extract, pack, type Pack } from 'tar-stream';
import { AppError } from '../../domain/base/errors.ts';
import { checked, damagedBackup, withChecksum } from './checksum.ts';

export interface ArchiveEntry {
  readonly name: string;
  readonly bytes: number;
  content(): AsyncIterable<Uint8Array>;
}

/** The first entry of each backup. */
export const MANIFEST = 'onair-backup.json';

export interface Manifest {
  readonly format: 'onair-backup';
  /** Version of this form of a backup. */
  readonly version: 1;
  /** Version of the program that wrote it. */
  readonly program: string;
  readonly schemaVersion: number;
  readonly begun_at: string;
}

/** Rejects with the error of the entries. */
export async function* archiveOf(manifest: Manifest, entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  yield* withChecksum(packed({ name: MANIFEST, bytes: bytes.length, content: () => Readable.from([bytes]) }, entries));
}

async function* packed(first: ArchiveEntry, entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Uint8Array> {
  const tar = pack();
  const filled = fill(tar, first, entries);
  // The reader below gets the error.
  filled.catch((error: Error) => tar.destroy(error));
  for await (const piece of tar) yield piece as Uint8Array;
  await filled;
}

async function fill(tar: Pack, first: ArchiveEntry, entries: AsyncIterable<ArchiveEntry>): Promise<void> {
  await add(tar, first);
  for await (const entry of entries) await add(tar, entry);
  tar.finalize();
}

async function add(tar: Pack, { name, bytes, content }: ArchiveEntry): Promise<void> {
  let settle!: (error?: Error | null) => void;
  const written = new Promise<void>((resolve, reject) => {
    settle = (error) => (error ? reject(error) : resolve());
  });
  const sink = tar.entry({ name, size: bytes, mode: 0o600, type: 'file' }, settle);
  for await (const piece of content()) if (!sink.write(piece)) await once(sink, 'drain');
  sink.end();
  await written;
}

/**
 * Yields the entries in their order; each is read before the next is asked for. Throws AppError invalid_input for what is no backup, and for
 * one that is not as it was written, at the latest behind the last entry.
 */
export async function* entriesIn(source: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  const tar = extract();
  let failure: unknown;
  const writing = feed(tar, checked(source)).catch((error: unknown) => {
    failure = error;
    tar.destroy(error as Error);
  });
  /** Both the archive and each entry end with the first error of either. */
  async function* reading<T>(pieces: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* pieces;
    } catch (error) {
      throw reasonOf(failure ?? error);
    }
  }
  for await (const entry of reading(tar)) {
    const { name, size = 0, type } = entry.header;
    if (type !== 'file') throw damagedBackup();
    yield { name, bytes: size, content: () => reading<Uint8Array>(entry) };
  }
  await writing;
  if (failure !== undefined) throw reasonOf(failure);
}

/** An error of the disk stays as it is; whatever else ends an archive early is damage. */
function reasonOf(error: unknown): unknown {
  return error instanceof AppError || (error instanceof Error && 'syscall' in error) ? error : damagedBackup(error);
}

async function feed(tar: ReturnType<typeof extract>, source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of source) if (!tar.write(piece)) await once(tar, 'drain');
  tar.end();
}

export function manifestOf(text: string): Manifest {
  try {
    const manifest = JSON.parse(text) as Manifest;
    if (manifest.format === 'onair-backup') return manifest;
  } catch {
    // Below is what there is to say about it.
  }
  throw damagedBackup();
}
