// Whether dist/ was built from the sources that lie here, so that a start, a demo and the tests do not build what is built.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Nothing of these folders goes into the program. */
const OTHERS = new Set(['.git', '.ci', 'node_modules', 'dist', 'test', 'bench', 'docs', 'site']);
/** Beside the packages, whose lock file is a source: a fresh installation of them builds anew. */
const stampOf = (root) => join(root, 'node_modules', '.cache', 'onair-build');

function filesIn(root, folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !(folder === '' && (OTHERS.has(name) || name.startsWith('.dist-'))))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(root, path) : [path];
    });
}

/** A number of the sources: their names and their content. */
export function sourcesOf(root) {
  const hash = createHash('sha256');
  for (const path of filesIn(root)) hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

export function isBuilt(root) {
  const stamp = stampOf(root);
  const isThere = existsSync(join(root, 'dist', 'onair.js')) && existsSync(stamp);
  return isThere && readFileSync(stamp, 'utf8') === sourcesOf(root);
}

/** `sources` are as they were when the build began. */
export function writeStamp(root, sources) {
  mkdirSync(dirname(stampOf(root)), { recursive: true });
  writeFileSync(stampOf(root), sources);
}
