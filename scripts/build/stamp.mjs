// Whether dist/ was built from the sources that lie here, so that a start, a demo and the tests do not build what is built.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commitOf, versionOf } from '../version.mjs';

/** Nothing of these folders goes into the program. */
const OTHERS = new Set(['.git', '.ci', 'node_modules', 'dist', 'test', 'bench', 'docs', 'site']);
/** It lies in what it speaks of: whoever removes or replaces dist/ takes it along. */
export const STAMP = '.sources';
const stampOf = (root) => join(root, 'dist', STAMP);

function filesIn(root, folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !(folder === '' && (OTHERS.has(name) || name.startsWith('.dist-'))))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(root, path) : [path];
    });
}

/** `looks` is a number of what the file system says of the sources, which takes a tenth of the time of `content`, a number of all bytes. */
function looksOf(root, paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const { size, mtimeMs, ctimeMs, ino } = statSync(join(root, path));
    hash.update(`\0${path}\0${size} ${mtimeMs} ${ctimeMs} ${ino}`);
  }
  return hash.digest('hex');
}

function contentOf(root, paths) {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

/** The looks are older than the content: a file that changes between them looks different the next time. */
export function sourcesOf(root) {
  const paths = filesIn(root);
  const looks = looksOf(root, paths);
  return { looks, content: contentOf(root, paths), commit: commitOf(root), version: versionOf(root) };
}

/** The version that dist/ was built with. */
export function builtVersion(root) {
  return readFileSync(stampOf(root), 'utf8').split('\n')[3];
}

function isBuilt(root) {
  if (!existsSync(join(root, 'dist', 'onair.js')) || !existsSync(stampOf(root))) return false;
  const [looks, content, commit, version] = readFileSync(stampOf(root), 'utf8').split('\n');
  // The version of a build names its commit.
  if (commit !== commitOf(root)) return false;
  if (looks === looksOf(root, filesIn(root))) return true;
  const sources = sourcesOf(root);
  if (content !== sources.content) return false;
  // A file was written as it was, or the checkout is a copy.
  writeStamp(root, { ...sources, version });
  return true;
}

/** `sources` are as they were when the build began. */
export function writeStamp(root, { looks, content, commit, version }) {
  const fresh = `${stampOf(root)}-${process.pid}`;
  mkdirSync(dirname(fresh), { recursive: true });
  writeFileSync(fresh, `${[looks, content, commit, version].join('\n')}\n`);
  renameSync(fresh, stampOf(root));
}

/** Is called before the built program is started. stdout belongs to what follows. */
export function buildWhenChanged(root) {
  if (isBuilt(root)) return;
  execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root, stdio: ['ignore', 2, 2] });
}
