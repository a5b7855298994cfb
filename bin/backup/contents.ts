/**
 * A backup holds the Assets, the key of links and the store; no Recordings, nor anything else of a Device. The Assets come first, for they may
 * take hours, then the store as of one moment, then the Assets that came meanwhile: so every row has its file.
 */
import { open, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/base/errors.ts';
import { namesIn } from '../../linux/folder.ts';
import { captureStore } from '../../store/embedded/capture.ts';
import type { ArchiveEntry } from '../../system/backup/archive.ts';

const PIECE_BYTES = 1 << 20;

/** `captured` is called with the moment of the store. */
export async function* contentsOf(data: string, captured: () => void): AsyncGenerator<ArchiveEntry> {
  const taken = new Map<string, string>();
  yield* assetsOf(data, taken);
  const link = await opened(join(data, 'link.key'));
  if (link !== undefined) yield* whole('link.key', link);
  const store = await captureStore(join(data, 'store'));
  captured();
  try {
    for (const { name, ...file } of store.files) yield { ...file, name: `store/${name}` };
  } finally {
    await store.close();
  }
  yield* assetsOf(data, taken);
}

/** Assets that `taken` does not have yet, by their paths in the backup. A file that took the name of another one is another one. */
async function* assetsOf(data: string, taken: Map<string, string>): AsyncGenerator<ArchiveEntry> {
  const root = join(data, 'assets');
  for (const bucket of await namesIn(root)) {
    // Names with a dot at the beginning are uploads under way.
    for (const name of (await namesIn(join(root, bucket))).filter((each) => !each.startsWith('.'))) {
      const path = `assets/${bucket}/${name}`;
      const handle = await opened(join(data, path));
      if (handle === undefined) continue;
      const { ino, ctimeMs, size } = await handle.stat();
      const mark = `${ino} ${ctimeMs} ${size}`;
      if (taken.get(path) === mark) {
        await handle.close();
        continue;
      }
      taken.set(path, mark);
      yield* whole(path, handle);
    }
  }
}

/** undefined for a file that has gone, or is none. */
async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    return (await stat(path)).isFile() ? await open(path, 'r') : undefined;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
}

/** Closes the file when the next entry is asked for. */
async function* whole(name: string, handle: FileHandle): AsyncGenerator<ArchiveEntry> {
  try {
    const { size } = await handle.stat();
    yield { name, bytes: size, content: () => piecesOf(name, handle, size) };
  } finally {
    await handle.close();
  }
}

async function* piecesOf(name: string, handle: FileHandle, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes;) {
    const { buffer, bytesRead } = await handle.read(
      Buffer.allocUnsafe(PIECE_BYTES),
      0,
      Math.min(PIECE_BYTES, bytes - at),
      at,
    );
    if (bytesRead === 0)
      throw new AppError('unavailable', `${name} became shorter while it was read. Begin the backup again.`);
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
