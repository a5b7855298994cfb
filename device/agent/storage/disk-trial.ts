/** Tries whether a folder can be written to, and whether the disk that it lay on is still mounted there. */
import { constants } from 'node:fs';
import { mkdir, open, realpath, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DeviceStorage, StorageState } from '../../../domain/shapes/devices/device-storage.ts';
import { diskSpaceOf } from '../../../linux/disk-space.ts';

/** The place of a folder. A number of a disk (st_dev) may be another one after each boot, the place where it is mounted stays. */
export interface DiskPlace {
  /** The folder, without links. */
  path: string;
  /** The folder that its file system is mounted on. */
  mount: string;
}

export interface DiskTrial extends Pick<DeviceStorage, 'total' | 'free' | 'status'> {
  /** Left out where the folder was not found, or not where it was. */
  place?: DiskPlace;
}

const FILE = '.write-trial';
/** The rest of a trial that was cut short is written over, and a link of that name leads nowhere. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
const STATES: Readonly<Record<string, StorageState>> = {
  EROFS: 'readonly',
  EACCES: 'readonly',
  EPERM: 'readonly',
  ENOSPC: 'full',
  EDQUOT: 'full',
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  // A link that leads nowhere is in the way of the folder.
  EEXIST: 'missing',
  ENODEV: 'missing',
  ENXIO: 'missing',
  ESTALE: 'missing',
};

/** It never rejects. It lasts as long as the file system takes, which for a network share that is gone may be for ever. */
export async function tryDisk(dir: string, before: DiskPlace | undefined): Promise<DiskTrial> {
  const found: DiskTrial = { total: null, free: null, status: 'mounted' };
  try {
    const place = await placeOf(dir);
    if (before?.path === place.path && isAbove(place.mount, before.mount)) return { ...found, status: 'missing' };
    found.place = place;
    const { size_bytes, free_bytes } = await diskSpaceOf(dir);
    Object.assign(found, { total: size_bytes, free: free_bytes });
    await writeTo(join(dir, FILE));
    return found;
  } catch (error) {
    return { ...found, status: STATES[(error as NodeJS.ErrnoException).code ?? ''] ?? 'unknown' };
  }
}

/** The folder is made where it is not there; its parent is not, which may be on the same missing disk. */
async function placeOf(dir: string): Promise<DiskPlace> {
  const path = await realpath(dir).catch(async () => {
    await mkdir(dir, { mode: 0o700 });
    return realpath(dir);
  });
  let mount = path;
  const { dev } = await stat(path);
  while (mount !== '/' && (await stat(dirname(mount))).dev === dev) mount = dirname(mount);
  return { path, mount };
}

function isAbove(mount: string, other: string): boolean {
  return mount !== other && other.startsWith(mount === '/' ? mount : `${mount}/`);
}

/** Many file systems take a write that they cannot keep; with fsync(2) they have to say so. */
async function writeTo(path: string): Promise<void> {
  const file = await open(path, FLAGS, 0o600);
  try {
    await file.write('.');
    await file.sync();
  } finally {
    await file.close();
    await unlink(path);
  }
}
