/** A Device agent that was started by root gives its rights up: it, its runners and every ffmpeg are another user's then. */
import { execFileSync } from 'node:child_process';
import { accessSync, chmodSync, chownSync, constants, lchownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../domain/errors.ts';

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

/** Whether there are rights to give up. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Makes the Device's folder the user's, then becomes that user for good. `dataDir`: our folder around it, which the user must pass through.
 * Throws AppError rule_violated when the folder is out of the user's reach.
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

/** Assets that root's control plane keeps become readable for the user's group, those to come as well. */
export function shareAssets(assetsDir: string, user: string): void {
  const { gid } = idsOf(user);
  openForGroup(dirname(assetsDir), gid, 0o010);
  const share = (dir: string): void => {
    chownSync(dir, -1, gid);
    // The group of the folder is that of each new file.
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

function giveTree(path: string, uid: number, gid: number): void {
  lchownSync(path, uid, gid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) giveTree(inner, uid, gid);
    else lchownSync(inner, uid, gid);
  }
}
