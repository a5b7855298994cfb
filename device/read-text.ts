/** Reads small files also while this process has no descriptor left: it must still find, and end, what it has started. */
import { closeSync, openSync, readFileSync } from 'node:fs';

/** It is given up for one read, and taken back after it. */
let spare: number | undefined;

/** Throws the error of the filesystem; EMFILE only when the limit lies below the spare descriptor. */
export function readText(path: string): string {
  try {
    spare ??= openSync('/dev/null', 'r');
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EMFILE' || spare === undefined) throw error;
  }
  closeSync(spare);
  spare = undefined;
  const text = readFileSync(path, 'utf8');
  spare = openSync('/dev/null', 'r');
  return text;
}
