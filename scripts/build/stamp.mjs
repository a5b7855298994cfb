// Whether dist/ was built from the sources that lie here, so that a start, a demo and the tests do not build what is built.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commitOf, versionOf } from '../version.mjs';
import { generateWhenChanged } from './generate.mjs';
import { contentOf, filesIn, looksOf } from './sources.mjs';

/** It lies in what it speaks of: whoever removes or replaces dist/ takes it along. */
export const STAMP = '.sources';
const stampOf = (root) => join(root, 'dist', STAMP);

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
  generateWhenChanged(root);
  if (isBuilt(root)) return;
  execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root, stdio: ['ignore', 2, 2] });
}
