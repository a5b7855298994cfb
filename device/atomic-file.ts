/** Files that are replaced in one step: a reader sees the old content or the new, and never a part. */
import {
  closeSync,
  constants,
  fchownSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
  writevSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { open, rename, rm } from 'node:fs/promises';
import { isAbsent } from '../domain/base/absent.ts';
import { jsonOf } from '../domain/base/json.ts';
import { readText } from './read-text.ts';

type Content = string | Buffer | readonly Buffer[];

/** A file that is not there yet lies here with all that it was given. */
const temporaryOf = (path: string): string => `${path}.tmp`;

/** A link that somebody has put there is not followed. */
const FRESH = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

/**
 * Survives a crash of the process, but not a power cut: the bytes are not flushed. Parts are written one behind the other. Throws the error of
 * the filesystem.
 */
export function writeAtomic(path: string, content: Content, mode = 0o600): void {
  replace(path, mode, (file) => write(file, content));
}

/** A file that grows, and is there for readers once it is finished. All throw the error of the filesystem. */
export class GrowingFile {
  private readonly path: string;
  private readonly file: number;
  bytes = 0;

  constructor(path: string) {
    this.path = path;
    this.file = openSync(temporaryOf(path), FRESH, 0o600);
  }

  add(parts: readonly Buffer[]): void {
    writeParts(this.file, parts);
    this.bytes += parts.reduce((sum, { length }) => sum + length, 0);
  }

  /** It stays as it is, for a process that comes behind. */
  close(): void {
    closeSync(this.file);
  }

  finish(): void {
    this.close();
    renameSync(temporaryOf(this.path), this.path);
  }

  /** It is given up. */
  drop(): void {
    this.close();
    rmSync(temporaryOf(this.path), { force: true });
  }
}

/**
 * Finishes files that a process before has let grow, each with its first bytes. Answers false, and finishes none, where one has not grown so far.
 * Throws the error of the filesystem.
 */
export function finishGrown(files: readonly { path: string; bytes: number | undefined }[]): boolean {
  const sizeOf = (path: string): number => statSync(temporaryOf(path), { throwIfNoEntry: false })?.size ?? 0;
  if (!files.every(({ path, bytes }) => bytes !== undefined && sizeOf(path) >= bytes)) return false;
  for (const { path, bytes } of files) {
    truncateSync(temporaryOf(path), bytes);
    renameSync(temporaryOf(path), path);
  }
  return true;
}

/** As `writeAtomic`, in a folder that may be another user's (ONAIR_DEVICE_USER): what root writes there is that user's. */
export function writeForOwner(path: string, content: string): void {
  replace(path, 0o600, (file) => {
    const { uid, gid } = statSync(dirname(path));
    if (process.geteuid?.() === 0) fchownSync(file, uid, gid);
    write(file, content);
  });
}

function replace(path: string, mode: number, fill: (file: number) => void): void {
  const temporary = temporaryOf(path);
  const file = openSync(temporary, FRESH, mode);
  try {
    fill(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

function write(file: number, content: Content): void {
  if (typeof content === 'string' || Buffer.isBuffer(content)) writeFileSync(file, content);
  else writeParts(file, content);
}

/** Megabytes that are joined before would be garbage outside the heap, for which V8 collects all of it. */
function writeParts(file: number, parts: readonly Buffer[]): void {
  let written = parts.length === 0 ? 0 : writevSync(file, parts);
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  // A full disk takes some, and says why with the rest.
  while (written < bytes) written += writeSync(file, Buffer.concat(parts), written);
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

/**
 * Undefined when the file is missing or not JSON. Files are replaced as a whole, so one that is not JSON, or that its disk cannot read, is
 * damaged, and as good as missing. Throws every other error: a process without a free descriptor knows nothing about the file.
 */
export function readJson(path: string): unknown {
  try {
    return jsonOf(readText(path));
  } catch (error) {
    if (isAbsent(error) || (error as NodeJS.ErrnoException).code === 'EIO') return undefined;
    throw error;
  }
}

/** As `readJson`, but undefined for a file that cannot be read: for what begins anew without it. */
export function readCached(path: string): unknown {
  try {
    return readJson(path);
  } catch {
    // What it held is made again.
    return undefined;
  }
}
