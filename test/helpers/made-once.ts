import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The folder of the run that compiled this spec; it ends with the run. */
export const BUILD = process.env['TEST_BUILD'];

/**
 * Puts media at `path` that several specs use: the first process of a run that wants the media makes it, the others copy it.
 * `key` says all that the content depends on.
 */
export function madeOnce(path: string, key: unknown, make: (target: string) => void): string {
  if (BUILD === undefined) {
    make(path);
    return path;
  }
  const name = createHash('sha256').update(JSON.stringify(key)).digest('hex');
  const folder = join(BUILD, 'media');
  const made = join(folder, `${name}${extname(path)}`);
  if (!existsSync(made)) {
    mkdirSync(folder, { recursive: true });
    // Two processes may make it at once; each puts a whole file there.
    const own = join(folder, `${name}-${process.pid}${extname(path)}`);
    make(own);
    renameSync(own, made);
  }
  copyFileSync(made, path);
  return path;
}
