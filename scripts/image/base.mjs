// A bare Debian with the Node of this machine, as an image to begin from. Debian 12's own Node is 18, which is too old for the program.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SUITE = 'bookworm';
const MIRROR = 'http://deb.debian.org/debian';
const SECURITY = 'http://deb.debian.org/debian-security';
/** apt has its lists and packages again where it needs them. */
const LEFT_OUT = ['var/cache/apt', 'var/lib/apt/lists', 'var/log', 'dev'];

/** Fills the image `name` of buildah's store; `stage` is a folder for what lies between. Throws Error where this Node does not run there. */
export function makeBase(stage, name) {
  const tree = join(stage, 'base');
  const run = (command, ...words) => execFileSync(command, words, { stdio: ['ignore', 2, 2], maxBuffer: 64 << 20 });
  run('debootstrap', '--variant=minbase', SUITE, tree, MIRROR);
  for (const folder of LEFT_OUT)
    for (const each of readdirSync(join(tree, folder))) rmSync(join(tree, folder, each), { recursive: true });
  const sources = [
    `deb ${MIRROR} ${SUITE} main`,
    `deb ${MIRROR} ${SUITE}-updates main`,
    `deb ${SECURITY} ${SUITE}-security main`,
  ];
  writeFileSync(join(tree, 'etc/apt/sources.list'), `${sources.join('\n')}\n`);
  const node = join(tree, 'usr/local/bin/node');
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o755);
  try {
    run('chroot', tree, '/usr/local/bin/node', '--version');
  } catch {
    throw new Error(
      `Node of this machine (${process.execPath}) does not run in a bare Debian ${SUITE}. Take the Node of nodejs.org, which needs nothing beside it.`,
    );
  }
  // An archive keeps owners and modes; a folder that is added loses them.
  const archive = join(stage, 'base.tar');
  run('tar', '-C', tree, '--numeric-owner', '-cf', archive, '.');
  const container = execFileSync('buildah', ['from', 'scratch'], { encoding: 'utf8' }).trim();
  try {
    run('buildah', 'add', '--quiet', container, archive, '/');
    run('buildah', 'commit', '--quiet', container, name);
  } finally {
    run('buildah', 'rm', container);
  }
}
