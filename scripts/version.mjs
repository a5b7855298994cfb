// The version of a build: that of package.json, and behind a plus the number and the name of the commit that it is built from. By the number
// Debian takes a later build for a newer one.
//   node scripts/version.mjs                    prints it
//   node scripts/version.mjs bake [<version>]   writes it into package.json, for a package or a folder that has no git
//   node scripts/version.mjs restore            takes what was baked out of package.json again
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The other folders go into no program. */
const SOURCES = ['.', ':!test', ':!bench', ':!docs', ':!.ci'];
const FIELD = /^( {2}"version": ")([^"]+)(?=")/mu;

const textOf = (folder) => readFileSync(join(folder, 'package.json'), 'utf8');
const bakedIn = (folder) => FIELD.exec(textOf(folder))[2];
/** The number that people have given it. */
export const releaseOf = (version) => version.replace(/\+.*$/u, '');

/** Undefined where `root` is no checkout, or git is not there. */
function git(root, ...words) {
  if (!existsSync(join(root, '.git'))) return undefined;
  try {
    // A build by root in the checkout of another user is one, too.
    const all = ['-c', `safe.directory=${root}`, ...words];
    return execFileSync('git', all, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** The commit that is checked out; empty where there is none. */
export function commitOf(root) {
  return git(root, 'rev-parse', 'HEAD') ?? '';
}

/** `0.1.0+1450.1b47cd2c`, and `.dirty` behind it where a source is not as the commit has it. Without git it is what package.json says. */
export function versionOf(root) {
  const commit = commitOf(root);
  if (commit === '') return bakedIn(root);
  // A history that is cut has no number: what is built of it counts as older than all others.
  const isCut = git(root, 'rev-parse', '--is-shallow-repository') !== 'false';
  const number = isCut ? '0' : git(root, 'rev-list', '--count', 'HEAD');
  const isDirty = git(root, 'status', '--porcelain', '--', ...SOURCES) !== '';
  return `${releaseOf(bakedIn(root))}+${number}.${commit.slice(0, 8)}${isDirty ? '.dirty' : ''}`;
}

export function bakeVersion(folder, version) {
  writeFileSync(join(folder, 'package.json'), textOf(folder).replace(FIELD, `$1${version}`));
}

/** The tag of an image can have no plus. */
export function tagOf(version) {
  return version.replace('+', '-');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(process.argv[1]));
  const [command, version = versionOf(root)] = process.argv.slice(2);
  if (command === 'bake') bakeVersion(root, version);
  else if (command === 'restore') bakeVersion(root, releaseOf(bakedIn(root)));
  else process.stdout.write(`${version}\n`);
}
