/** Files that are replaced in one step: a reader sees the old content or the new, and never a part. */
import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync, writevSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';

/**
 * Survives a crash of the process, but not a power cut: the bytes are not flushed. Parts are written one behind the other. Throws the error of
 * the filesystem.
 */
export function writeAtomic(path: string, content: string | Buffer | readonly Buffer[], mode = 0o600): void {
  const temporary = `${path}.tmp`;
  if (typeof content === 'string' || Buffer.isBuffer(content)) writeFileSync(temporary, content, { mode });
  else writeParts(temporary, content, mode);
  renameSync(temporary, path);
}

/** Megabytes that are joined before would be garbage outside the heap, for which V8 collects all of it. */
function writeParts(path: string, parts: readonly Buffer[], mode: number): void {
  const file = openSync(path, 'w', mode);
  try {
    let written = writevSync(file, parts);
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    // A full disk takes some, and says why with the rest.
    while (written < bytes) written += writeSync(file, Buffer.concat(parts), written);
  } finally {
    closeSync(file);
  }
}

/** Survives a power cut too. Rejects with the error of the filesystem, and leaves nothing behind then. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(value));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** A file that was replaced in the folder is so after a power cut, too. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Undefined when the file is missing or not JSON. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown;
  } catch {
    // Files are replaced as a whole, so one that cannot be read was never written, or its disk is damaged: nothing is known then.
    return undefined;
  }
}
