import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface FileNow {
  path: string;
  /** As latin1, so that each byte is a character. */
  text: string;
  /** Bits of permission. */
  mode: number;
}

/**
 * Files of a folder that a process is writing to, with those of its folders.
 * Writers rename and remove: a file that is gone once it is read is left out.
 */
export function filesNow(folder: string): FileNow[] {
  return unlessGone(() => readdirSync(folder, { withFileTypes: true })).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesNow(path);
    if (!entry.isFile()) return [];
    return unlessGone(() => [{ path, text: readFileSync(path, 'latin1'), mode: statSync(path).mode & 0o777 }]);
  });
}

function unlessGone<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
