/** Recordings in the bucket of ONAIR_MEDIA, as files of this machine: those that are whole, and those of a lost Device, from their pieces. */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { joinRecording } from '../device/agent/recordings/join.ts';
import { findStored, type StoredRecording } from '../device/agent/recordings/stored-recordings.ts';
import { IncomingRoom } from '../device/incoming-space.ts';
import { LocalCopies, type LocalCopiesOptions } from '../device/link/local-copies.ts';
import { parseRecordingFile } from '../device/recording-names.ts';
import { recordingsDir } from '../device/run-dir.ts';
import { AppError } from '../domain/base/errors.ts';
import type { MediaBucket } from '../domain/ports/media-bucket.ts';
import type { RecordingMedia, RecoveredRecording } from '../domain/ports/recording-media.ts';
import { keysOfPieces, wholeKey } from '../domain/rules/media/recording-objects.ts';
import type { Recording, RecordingPieces } from '../domain/shapes/media/recording.ts';

export interface RecordingsInBucketOptions extends LocalCopiesOptions {
  bucket: MediaBucket;
  /** See RecordingMedia. */
  takes: boolean;
}

export function recordingsInBucket({ bucket, takes, ...options }: RecordingsInBucketOptions): RecordingMedia {
  const copies = new LocalCopies(options);
  return {
    bucket,
    takes,
    async open({ id, objects }, signal, progress) {
      const files = (objects?.whole ?? []).map(({ key, bytes }) => ({ key, bytes, name: key.split('/').at(-1)! }));
      const fetch = async (
        { key }: { key: string },
        target: string,
        _until: AbortSignal,
        take: (bytes: number) => Promise<void>,
      ): Promise<void> => {
        // What an earlier transfer has left is not gone on with.
        await rm(target, { force: true });
        await bucket.fetch(key, target, take);
      };
      return copies.open(['recording', id], files, fetch, { signal, progress });
    },
    async recover(recording, signal) {
      const scratch = join(options.dir, `recovered-${randomUUID()}`);
      try {
        return await recoverIn(scratch, bucket, recording, signal);
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    },
  };
}

/** `scratch` has the form of the folder of a Device, so that what a Device does with its parts is done here. */
async function recoverIn(
  scratch: string,
  bucket: MediaBucket,
  recording: Readonly<Recording>,
  signal: AbortSignal,
): Promise<RecoveredRecording | undefined> {
  const dir = recordingsDir(scratch, recording.livestreamId);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const room = await IncomingRoom.of(dir);
  for (const part of recording.objects?.parts ?? []) {
    assertName(recording, part);
    for (const key of keysOfPieces(recording, { parts: [part] })) {
      signal.throwIfAborted();
      const piece = join(scratch, 'piece');
      await bucket.fetch(key, piece, (bytes) => room.take(bytes));
      await pipeline(createReadStream(piece), createWriteStream(join(dir, part.name), { flags: 'a', mode: 0o600 }));
      await rm(piece);
    }
  }
  const parts = await findStored(scratch, recording);
  const facts = parts && (await joinRecording(parts, signal));
  if (parts === undefined || facts === undefined || facts.state === 'failed') return undefined;
  const whole = await sendFiles(bucket, recording, (await findStored(scratch, recording)) ?? parts);
  const { duration_seconds, tracks, reason } = facts;
  return { whole, duration_seconds, tracks, reason };
}

async function sendFiles(
  bucket: MediaBucket,
  recording: Readonly<Recording>,
  { files }: StoredRecording,
): Promise<RecoveredRecording['whole']> {
  const whole: RecoveredRecording['whole'] = [];
  for (const { path, bytes } of files) {
    const key = wholeKey(recording, whole.length + 1);
    await bucket.send(key, path);
    whole.push({ key, bytes });
  }
  return whole;
}

/** It becomes the name of a file here. */
function assertName({ runId, publishingId }: Readonly<Recording>, { name }: RecordingPieces): void {
  const parsed = parseRecordingFile(name);
  if (parsed?.runId === runId && parsed.publishingId === publishingId) return;
  throw new AppError('upstream_failed', 'A part in the bucket has not the name of one of this Recording.');
}
