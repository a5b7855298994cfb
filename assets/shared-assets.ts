/**
 * Files of Assets that several servers share. The bucket has each file under a key of its own, which its row names; the folder of this
 * machine has copies of those that were used here. A note beside a copy names its key, because a name may come back with another content.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AssetFiles, ReceivedAsset } from '../domain/control.ts';
import { AppError } from '../domain/errors.ts';
import type { MediaBucket } from '../domain/media-bucket.ts';

export interface SharedAssetParts {
  /** The files of this machine. */
  local: AssetFiles;
  bucket: MediaBucket;
  /** The key of the Asset's file; undefined for one that was uploaded before there was a bucket. */
  keyOf(bucket: string, filename: string): Promise<string | undefined>;
}

export function sharedAssets({ local, bucket, keyOf }: SharedAssetParts): AssetFiles {
  const noteOf = (kind: string, filename: string): string => {
    const path = local.path(kind, filename);
    return join(dirname(path), '.keys', filename);
  };
  const note = async (kind: string, filename: string, key: string): Promise<void> => {
    const path = noteOf(kind, filename);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, key, { mode: 0o600 });
  };
  const share = (kind: string, filename: string, received: ReceivedAsset): ReceivedAsset => {
    const media_key = `${kind}/${randomUUID()}/${filename}`;
    return {
      ...received,
      media_key,
      async keep() {
        if (!(await received.keep())) return false;
        try {
          await bucket.send(media_key, local.path(kind, filename));
          await note(kind, filename, media_key);
          return true;
        } catch (error) {
          await local.remove(kind, filename);
          throw error;
        }
      },
    };
  };
  const under = new Map<string, Promise<void>>();
  const bring = async (kind: string, filename: string): Promise<void> => {
    const key = await keyOf(kind, filename);
    // Nobody but the server that took it in has it.
    if (key === undefined) return;
    const path = local.path(kind, filename);
    const known = await readFile(noteOf(kind, filename), 'utf8').catch(() => undefined);
    if (known === key && (await isThere(path))) return;
    const temporary = join(dirname(path), '.incoming', randomUUID());
    try {
      await bucket.fetch(key, temporary);
      await rename(temporary, path);
      await note(kind, filename, key);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error instanceof AppError
        ? error
        : new AppError('unavailable', `${filename} could not be stored here.`, { cause: error });
    }
  };
  return {
    ...local,
    receive: async (kind, filename, content, signal) =>
      share(kind, filename, await local.receive(kind, filename, content, signal)),
    async cut(filename, order, signal, progress) {
      const clip = await local.cut(filename, order, signal, progress);
      return { ...share('clips', filename, clip), starts_at: clip.starts_at };
    },
    bring(kind, filename) {
      const place = `${kind}/${filename}`;
      const task = under.get(place) ?? bring(kind, filename).finally(() => under.delete(place));
      under.set(place, task);
      return task;
    },
    async remove(kind, filename, key) {
      await local.remove(kind, filename);
      await rm(noteOf(kind, filename), { force: true });
      if (key !== undefined) await bucket.remove(key);
    },
  };
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
