// The files that the program is made of, and whether they are as they were.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Nothing of these folders goes into the program. */
const OTHERS = new Set(['.git', '.ci', 'node_modules', 'dist', 'test', 'bench', 'docs', 'site']);

/** Files that are made of others are left out. */
export function filesIn(root, folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => name !== 'gen' && !(folder === '' && (OTHERS.has(name) || name.startsWith('.dist-'))))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(root, path) : [path];
    });
}

/** A number of what the file system says of the files, which takes a tenth of the time of `contentOf`. */
export function looksOf(root, paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const { size, mtimeMs, ctimeMs, ino } = statSync(join(root, path));
    hash.update(`\0${path}\0${size} ${mtimeMs} ${ctimeMs} ${ino}`);
  }
  return hash.digest('hex');
}

/** A number of all bytes. */
export function contentOf(root, paths) {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}
