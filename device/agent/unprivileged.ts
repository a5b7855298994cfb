/** A Device agent that root has started gives its rights up: it, its runners and every ffmpeg run as another user then. */
import { execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../domain/base/errors.ts';

export interface UserIds {
  uid: number;
  gid: number;
}

/** Throws AppError rule_violated when the machine has no such user. */
function idsOf(user: string): UserIds {
  try {
    const ask = (what: string): number =>
      Number(execFileSync('id', [what, '--', user], { stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: ask('-u'), gid: ask('-g') };
  } catch (cause) {
    throw new AppError(
      'rule_violated',
      `ONAIR_DEVICE_USER: this machine has no user "${user}"; make it with: useradd --system ${user}`,
      { cause },
    );
  }
}

/** Tells whether this process has rights to give up. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Gives the Device's folder to the user, then becomes that user for good. `dataDir` is our folder around it, which the user must pass
 * through. Throws AppError rule_violated when the folder is out of the user's reach.
 */
export function becomeUser(user: string, deviceDir: string, dataDir: string | undefined): void {
  const { uid, gid } = idsOf(user);
  mkdirSync(deviceDir, { recursive: true, mode: 0o700 });
  giveTree(deviceDir, uid, gid);
  if (dataDir !== undefined) openForGroup(dataDir, gid, 0o010);
  (process as { initgroups?: (user: string, group: number) => void }).initgroups?.(user, gid);
  process.setgid?.(gid);
  process.setuid?.(uid);
  try {
    accessSync(deviceDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new AppError(
      'rule_violated',
      `ONAIR_DEVICE_USER: "${user}" cannot reach ${deviceDir}; choose a data folder (ONAIR_DATA) outside of other users' homes.`,
      { cause },
    );
  }
}

/** Makes present and future Assets readable for the user's group, while root's control plane owns them. */
export function shareAssets(assetsDir: string, user: string): void {
  const { gid } = idsOf(user);
  openForGroup(dirname(assetsDir), gid, 0o010);
  const share = (dir: string): void => {
    chownSync(dir, -1, gid);
    // The set-group-ID bit gives the folder's group to each new file.
    chmodSync(dir, 0o2750);
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) share(path);
      else if (entry.isFile()) {
        chownSync(path, -1, gid);
        chmodSync(path, 0o640);
      }
    }
  };
  share(assetsDir);
}

function openForGroup(dir: string, gid: number, bits: number): void {
  chownSync(dir, -1, gid);
  chmodSync(dir, (statSync(dir).mode & 0o7777) | bits);
}

/** The user may put a link in place of a folder at any moment, so each folder is opened once, and its entries are those of that descriptor. */
function giveTree(path: string, uid: number, gid: number): void {
  lchownSync(path, uid, gid);
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const opened = `/proc/self/fd/${fd}`;
  try {
    for (const entry of readdirSync(opened, { withFileTypes: true })) {
      const inner = join(opened, entry.name);
      if (entry.isDirectory()) giveTree(inner, uid, gid);
      else lchownSync(inner, uid, gid);
    }
  } finally {
    closeSync(fd);
  }
}
