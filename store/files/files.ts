/** Names in the data folder, and the file operations that durability depends on. */
import { mkdir, readdir, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { syncFolder } from '../../linux/folder.ts';

/** Snapshot `n` with the journals from `n` on is the whole state. */
export type FileKind = 'snapshot' | 'journal';

export function pathOf(dir: string, kind: FileKind, number: number): string {
  return join(dir, `${kind}-${String(number).padStart(8, '0')}.jsonl`);
}

/** A snapshot under way; one that a crash leaves behind means nothing. */
export function unfinishedSnapshotPath(dir: string): string {
  return join(dir, 'snapshot.tmp');
}

/** Answers the rising numbers of one kind among the names in a data folder. */
export function numbersIn(names: readonly string[], kind: FileKind): number[] {
  const pattern = new RegExp(`^${kind}-(\\d{8,})\\.jsonl$`, 'u');
  const own = names.filter((name) => name.startsWith(kind));
  return own
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** The mode is 0700, because rows hold password and token hashes and stream keys. */
export async function makeFolder(dir: string): Promise<void> {
  const first = await mkdir(dir, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = resolve(dir); made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

export async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    // A full disk first answers with a short write, and with an error only to the next.
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Deletes the files that snapshot `number` replaces. A crash half-way leaves older ones, which the next start deletes. */
export async function deleteOlder(dir: string, number: number, names?: readonly string[]): Promise<void> {
  const present = names ?? (await readdir(dir));
  for (const kind of ['snapshot', 'journal'] as const) {
    for (const older of numbersIn(present, kind))
      if (older < number) await rm(pathOf(dir, kind, older), { force: true });
  }
}
