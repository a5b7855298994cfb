/** The files behind Assets: `<dir>/<bucket>/<filename>`, and beside them under `.incoming` those that are still being received. */
import { randomUUID } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { chmod, link, mkdir, open, readdir, rename, rm, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { anySignal } from '../domain/base/any-signal.ts';
import { ASSET_BUCKETS, filenameField, type AssetBucket } from '../domain/shapes/media/asset.ts';
import type { AssetFiles, AssetQuota, ReceivedAsset } from '../domain/ports/control.ts';
import { AppError } from '../domain/base/errors.ts';
import { assertNamedAsProbed, probeAsset, type Probed } from './asset-probe.ts';
import type { Log } from '../domain/base/log.ts';
import { cutClip } from './clips.ts';
import { IncomingRoom } from '../device/incoming-space.ts';
import { syncFolder } from '../linux/folder.ts';
import { identify, isAlive } from '../device/process.ts';

export interface AssetFilesOptions {
  /** Size of the largest Asset that is taken in, in bytes. */
  maxBytes: number;
  /** Without a quota the disk alone is the limit. */
  quota?: AssetQuota;
  log: Log;
}

/** File names begin with no dot (filenameField), so this is never the name of an Asset. */
export const INCOMING = '.incoming';

/** Creates the folders, and removes uploads that a crash has cut off. Rejects with the error of the filesystem. */
export async function openAssetFiles(dir: string, options: AssetFilesOptions): Promise<AssetFiles> {
  const root = resolve(dir);
  for (const bucket of ASSET_BUCKETS) {
    await mkdir(join(root, bucket, INCOMING), { recursive: true, mode: 0o700 });
    await sweep(join(root, bucket, INCOMING), options.log);
  }
  const path = (bucket: string, filename: string): string => join(root, bucketOf(bucket), plainName(filename));
  return {
    path,
    quota: options.quota ?? {},
    async receive(bucket, filename, content, signal) {
      const target = path(bucket, filename);
      const temporary = join(root, bucket, INCOMING, incomingName());
      try {
        const size = await write(temporary, content, options.maxBytes, signal);
        const probed = await probeAsset(bucketOf(bucket), temporary);
        assertNamedAsProbed(filename, probed.content_type);
        if (signal.aborted) throw brokenOff(size);
        return receivedAsset(temporary, target, size, probed);
      } catch (error) {
        await rm(temporary, { force: true });
        throw toAppError(error);
      }
    },
    async cut(filename, order, signal, progress) {
      const target = path('clips', filename);
      const temporary = join(root, 'clips', INCOMING, incomingName());
      const room = (await IncomingRoom.of(root)).watch();
      try {
        const spans = await cutClip(order, temporary, anySignal([signal, room.signal]), progress).finally(room.end);
        const probed = await probeAsset('clips', temporary);
        assertNamedAsProbed(filename, probed.content_type);
        return { ...receivedAsset(temporary, target, await syncFile(temporary), probed), spans };
      } catch (error) {
        await rm(temporary, { force: true });
        throw toAppError(room.signal.aborted ? room.signal.reason : error);
      }
    },
    async remove(bucket, filename) {
      await rm(path(bucket, filename), { force: true });
    },
  };
}

function bucketOf(bucket: string): AssetBucket {
  const knownBucket = ASSET_BUCKETS.find((name) => name === bucket);
  if (knownBucket === undefined)
    throw new AppError('invalid_input', `There is no bucket "${bucket}"; use ${ASSET_BUCKETS.join(', ')}.`);
  return knownBucket;
}

/** The name is checked here once more: whatever the caller did, no name leads out of the bucket. Linux takes names up to 255 bytes. */
function plainName(filename: string): string {
  const parsed = filenameField.safeParse(filename);
  if (!parsed.success || Buffer.byteLength(filename) > 255) {
    throw new AppError(
      'invalid_input',
      'filename must be a plain file name of at most 255 bytes, without path separators or a leading dot.',
    );
  }
  return filename;
}

/** The name tells whose file it is: another server on the same folder must not sweep it away. */
export function incomingName(): string {
  return `${process.pid}-${identify(process.pid)?.startTicks ?? 0}-${randomUUID()}`;
}

async function sweep(incoming: string, log: Log): Promise<void> {
  for (const name of await readdir(incoming)) {
    const [pid, startTicks] = name.split('-').map(Number);
    if (pid !== undefined && startTicks !== undefined && isAlive(pid, startTicks)) continue;
    await rm(join(incoming, name), { recursive: true, force: true });
    log.info({ file: join(incoming, name) }, 'Removed what an unfinished upload had left.');
  }
}

/** Resolves with the bytes written once they are durable; the caller removes the file when it rejects. */
async function write(
  path: string,
  content: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<number> {
  const reader = content.getReader();
  // The upload is refused with its own reason; a sender that cannot be told to stop has stopped already.
  const abort = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', abort, { once: true });
  let file: FileHandle | undefined;
  let size = 0;
  try {
    const room = await IncomingRoom.of(dirname(path));
    file = await open(path, 'wx', 0o600);
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw error instanceof AppError ? error : brokenOff(size, error);
      });
      if (signal.aborted) throw brokenOff(size);
      if (done) break;
      size += value.byteLength;
      if (size > maxBytes) {
        throw new AppError('too_large', `The file is larger than ${maxBytes} bytes.`, {
          facts: { limit_bytes: maxBytes },
        });
      }
      await room.take(value.byteLength);
      await writeAll(file, value);
    }
    if (size === 0) throw new AppError('unsupported_media', 'The file is empty.');
    await file.sync();
    return size;
  } catch (error) {
    // The sender stops sending, and the error that is thrown on says why; a sender that cannot be told to stop has stopped already.
    void reader.cancel(error).catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
    await file?.close();
  }
}

/** Makes a file durable that another process has written, and resolves with its bytes. */
async function syncFile(path: string): Promise<number> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** write(2) may take only a part, on a disk that is nearly full. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.byteLength;) {
    written += (await file.write(bytes, written, bytes.byteLength - written)).bytesWritten;
  }
}

function receivedAsset(temporary: string, target: string, size: number, probed: Probed): ReceivedAsset {
  const discard = (): Promise<void> => rm(temporary, { force: true });
  return {
    size_bytes: size,
    ...probed,
    discard,
    async keep() {
      try {
        removeLeftover(target);
        const isMoved = await moveWithoutReplacing(temporary, target);
        if (isMoved) await syncFolder(join(target, '..'));
        else await discard();
        return isMoved;
      } catch (error) {
        await discard();
        throw toAppError(error);
      }
    },
  };
}

/**
 * The caller has seen that no Asset has the name. If the name is taken all the same, an upload of this process is about to become that
 * Asset, or a server that was killed between file and row has left it: then its inode changed before this process began. The calls are
 * synchronous: between a look and a removal that waited, another upload could have taken the name.
 */
function removeLeftover(target: string): void {
  const found = statSync(target, { throwIfNoEntry: false });
  if (found !== undefined && found.ctimeMs < performance.timeOrigin) rmSync(target);
}

/**
 * link(2) fails when the name is taken, while rename(2) would replace it. Some filesystems have no links: there the name is taken first.
 */
async function moveWithoutReplacing(temporary: string, target: string): Promise<boolean> {
  await chmod(temporary, 0o640);
  try {
    await link(temporary, target);
    await unlink(temporary);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code !== 'EPERM' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') throw error;
  }
  try {
    await (await open(target, 'wx')).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  await rename(temporary, target);
  return true;
}

function brokenOff(size: number, cause?: unknown): AppError {
  return new AppError('invalid_input', `The upload broke off after ${size} bytes. Send the file again.`, { cause });
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code } = error as NodeJS.ErrnoException;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return new AppError(
    'unavailable',
    isFull
      ? 'The storage for Assets is full. Delete Assets that are not needed.'
      : 'The file could not be stored; see the server log.',
    { cause: error },
  );
}
