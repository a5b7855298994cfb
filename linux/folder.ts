/** Folders of this machine's disk. */
import { open, readdir } from 'node:fs/promises';

/** Names in a folder, sorted; none when the folder is missing or cannot be read. */
export async function namesIn(dir: string): Promise<string[]> {
  try {
    return (await readdir(dir)).sort();
  } catch {
    // Callers list what may be there: a folder that nobody has made yet, or that is not theirs to read, has nothing for them.
    return [];
  }
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
