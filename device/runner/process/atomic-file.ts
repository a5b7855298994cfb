import { renameSync, writeFileSync } from 'node:fs';

/** Replaces a file in one step: a reader sees the old content or the new. Throws what the filesystem says. */
export function writeAtomic(path: string, content: string | Buffer, mode = 0o600): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, content, { mode });
  renameSync(temporary, path);
}
