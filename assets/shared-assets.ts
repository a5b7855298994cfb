/**
 * Files of Assets that several servers share. The bucket has each file under a key of its own, which its row names; the folder of this
 * machine has copies of those that were used here. A note beside a copy names its key, because a name may come back with another content.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { IncomingRoom } from '../device/incoming-space.ts';
import { ifAbsent } from '../domain/base/absent.ts';
import { ASSET_BUCKETS } from '../domain/shapes/media/asset.ts';
import type { AssetFiles, ReceivedAsset } from '../domain/ports/control.ts';
import { AppError } from '../domain/base/errors.ts';
import type { Log } from '../domain/base/log.ts';
import type { MediaBucket } from '../domain/ports/media-bucket.ts';
import { INCOMING, incomingName } from './asset-files.ts';

/** A transfer that has begun by then goes on. */
const LINK_SECONDS = 3_600;

export interface SharedAssetDeps {
  /** The files of this machine. */
  local: AssetFiles;
  bucket: MediaBucket;
  /** The Asset's file in the bucket; undefined for one that was uploaded before there was a bucket, and for one that is not there. */
  objectOf(bucket: string, filename: string): Promise<{ key: string; bytes: number } | undefined>;
  log: Log;
}

export function sharedAssets(deps: SharedAssetDeps): AssetFiles {
  const { local } = deps;
  const copies = new Copies(deps);
  return {
    ...local,
    receive: async (kind, filename, content, signal) =>
      copies.shared(kind, filename, await local.receive(kind, filename, content, signal)),
    async cut(filename, order, signal, progress) {
      const clip = await local.cut(filename, order, signal, progress);
      return { ...copies.shared('clips', filename, clip), spans: clip.spans };
    },
    bring: (kind, filename) => copies.bring(kind, filename),
    async fetchable(kind, filename) {
      const object = await deps.objectOf(kind, filename);
      return object && { ...object, url: await deps.bucket.linkTo(object.key, LINK_SECONDS) };
    },
    async remove(kind, filename, key) {
      await copies.remove(kind, filename);
      if (key !== undefined) await deps.bucket.remove(key);
    },
  };
}

/** Makes room: the copies of Assets that other servers have deleted meanwhile. */
export async function dropDeletedCopies(deps: SharedAssetDeps): Promise<void> {
  const copies = new Copies(deps);
  for (const kind of ASSET_BUCKETS) {
    const notes = dirname(copies.noteOf(kind, 'x'));
    for (const filename of await readdir(notes).catch(ifAbsent<string[]>([]))) await copies.dropStale(kind, filename);
  }
}

class Copies {
  private readonly deps: SharedAssetDeps;
  /** Files that are being taken in, by their paths. */
  private readonly keeping = new Set<string>();
  /** Files that are being fetched, by their keys. */
  private readonly fetching = new Map<string, Promise<void>>();

  constructor(deps: SharedAssetDeps) {
    this.deps = deps;
  }

  shared(kind: string, filename: string, received: ReceivedAsset): ReceivedAsset {
    const media_key = `${kind}/${randomUUID()}/${filename}`;
    return { ...received, media_key, keep: () => this.keep(kind, filename, media_key, received) };
  }

  async remove(kind: string, filename: string): Promise<void> {
    await this.deps.local.remove(kind, filename);
    await rm(this.noteOf(kind, filename), { force: true });
  }

  /** Rejects with AppError not_found, upstream_failed and unavailable. */
  async bring(kind: string, filename: string): Promise<void> {
    const { local, bucket } = this.deps;
    const key = await this.keyOf(kind, filename);
    const path = local.path(kind, filename);
    if (key === undefined) {
      // Only the server that took it in has it. A copy with a note is one of an Asset that was deleted.
      if ((await inodeOf(path)) !== undefined && (await this.readNote(kind, filename)) === undefined) return;
      throw new AppError(
        'not_found',
        `The file ${filename} is neither on this server nor in the ${bucket.name}. Delete the Asset, and upload it again.`,
      );
    }
    if (await this.isCopy(kind, filename, key)) return;
    const task = this.fetching.get(key) ?? this.fetch(kind, filename, key).finally(() => this.fetching.delete(key));
    this.fetching.set(key, task);
    await task;
    // An Asset that was replaced during the transfer has another key now.
    if ((await this.keyOf(kind, filename)) !== key) await this.bring(kind, filename);
  }

  private async keep(kind: string, filename: string, key: string, received: ReceivedAsset): Promise<boolean> {
    const { local, bucket, log } = this.deps;
    const path = local.path(kind, filename);
    if (this.keeping.has(path)) {
      await received.discard();
      return false;
    }
    this.keeping.add(path);
    try {
      await this.dropStale(kind, filename);
      if (!(await received.keep())) return false;
      try {
        await bucket.send(key, path);
        await this.note(kind, filename, key, await inodeOf(path));
        return true;
      } catch (error) {
        await this.remove(kind, filename);
        // An upload whose answer was lost may be there all the same.
        await bucket
          .remove(key)
          .catch((cause: unknown) =>
            log.warn({ err: cause, key }, 'A file may be left in the bucket that no Asset names.'),
          );
        throw stored(error, filename);
      }
    } finally {
      this.keeping.delete(path);
    }
  }

  /** Removes a copy whose Asset another server has deleted; it would keep the name from the next one. */
  async dropStale(kind: string, filename: string): Promise<void> {
    const hasNote = (await this.readNote(kind, filename)) !== undefined;
    if (hasNote && (await this.keyOf(kind, filename)) === undefined) await this.remove(kind, filename);
  }

  private async fetch(kind: string, filename: string, key: string): Promise<void> {
    const path = this.deps.local.path(kind, filename);
    const temporary = join(dirname(path), INCOMING, incomingName());
    try {
      const room = await IncomingRoom.of(dirname(path));
      await this.deps.bucket.fetch(key, temporary, (bytes) => room.take(bytes));
      const inode = await inodeOf(temporary);
      await rename(temporary, path);
      await this.note(kind, filename, key, inode);
    } catch (error) {
      await rm(temporary, { force: true });
      throw stored(error, filename);
    }
  }

  private async keyOf(kind: string, filename: string): Promise<string | undefined> {
    return (await this.deps.objectOf(kind, filename))?.key;
  }

  noteOf(kind: string, filename: string): string {
    return join(dirname(this.deps.local.path(kind, filename)), '.keys', filename);
  }

  private readNote(kind: string, filename: string): Promise<string | undefined> {
    return readFile(this.noteOf(kind, filename), 'utf8').catch(ifAbsent(undefined));
  }

  /** The inode tells a file that took the name without its note, between two writes or in a crash. */
  private async note(kind: string, filename: string, key: string, inode: bigint | undefined): Promise<void> {
    const path = this.noteOf(kind, filename);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, noteText(key, inode), { mode: 0o600 });
  }

  private async isCopy(kind: string, filename: string, key: string): Promise<boolean> {
    const inode = await inodeOf(this.deps.local.path(kind, filename));
    return inode !== undefined && (await this.readNote(kind, filename)) === noteText(key, inode);
  }
}

function noteText(key: string, inode: bigint | undefined): string {
  return `${key}\n${inode ?? ''}\n`;
}

async function inodeOf(path: string): Promise<bigint | undefined> {
  return (await stat(path, { bigint: true }).catch(ifAbsent(undefined)))?.ino;
}

function stored(error: unknown, filename: string): AppError {
  if (error instanceof AppError) return error;
  return new AppError('unavailable', `${filename} could not be stored on this server; see its log.`, { cause: error });
}
