/** Folders of this machine's disk. */
import { open, readdir } from 'node:fs/promises';
import { ifAbsent } from '../domain/base/absent.ts';

/** Names in a folder, sorted; none when there is no such folder. Rejects with any other error of the filesystem. */
export async function namesIn(dir: string): Promise<string[]> {
  return (await readdir(dir).catch(ifAbsent<string[]>([]))).sort();
}

/** Makes new and removed names of a folder durable: fsync(2) of a file does not cover the entry that names it. */
export async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
