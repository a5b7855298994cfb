/** Buckets: the files of Assets are in one that several servers share, or in the data folder; history is archived in another. */
import { join } from 'node:path';
import { openAssetFiles } from '../../assets/asset-files.ts';
import { recordingsInBucket } from '../../assets/recordings-in-bucket.ts';
import { dropDeletedCopies, sharedAssets } from '../../assets/shared-assets.ts';
import { isRoot, shareAssets } from '../../device/agent/unprivileged.ts';
import { IncomingRoom } from '../../device/incoming-space.ts';
import type { AssetFiles } from '../../domain/ports/control.ts';
import { AppError } from '../../domain/base/errors.ts';
import { parseBucketAddress } from '../../domain/network/bucket-address.ts';
import type { Log } from '../../domain/base/log.ts';
import type { MediaBucket } from '../../domain/ports/media-bucket.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { RecordingMedia } from '../../domain/ports/recording-media.ts';
import type { ArchivePlace } from '../../scheduler/archive/history-archive.ts';
import type { Config } from '../settings/config.ts';
import { isShared } from '../store/store-place.ts';

/** The bucket that ONAIR_MEDIA names; undefined for none. Rejects with AppError unavailable when it cannot be used. */
async function openBucket({ media }: Pick<Config, 'media'>): Promise<MediaBucket | undefined> {
  if (media === undefined) return undefined;
  // The library is a tenth of what a start of a server without it would read.
  const { openMediaBucket } = await import('../../integrations/media-bucket.ts');
  return openMediaBucket(parseBucketAddress(media), keysFor('ONAIR_MEDIA'));
}

/**
 * Nothing that is on air needs the archive: a bucket that cannot be used is told in the log, and tried again when a day is over. Rejects
 * with AppError invalid_input when there are no keys.
 */
export async function openArchive(
  { archive, data }: Pick<Config, 'archive' | 'data'>,
  log: Log,
): Promise<ArchivePlace | undefined> {
  if (archive === undefined) return undefined;
  const keys = keysFor('ONAIR_ARCHIVE');
  const { openArchiveBucket } = await import('../../integrations/archive-bucket.ts');
  const bucket = openArchiveBucket(parseBucketAddress(archive), keys);
  bucket.describe().then(
    () => log.info({ archive: bucket.name }, 'Audit entries and events are archived.'),
    (error: unknown) =>
      log.warn(
        { err: error },
        'ONAIR_ARCHIVE cannot be used now. Correct it, its keys, or what they allow in the bucket.',
      ),
  );
  return { bucket, dir: join(data, 'archive'), roomIn: (dir) => IncomingRoom.of(dir) };
}

function keysFor(setting: 'ONAIR_MEDIA' | 'ONAIR_ARCHIVE'): { accessKey: string; secretKey: string } {
  const { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey } = process.env;
  if (accessKey && secretKey) return { accessKey, secretKey };
  throw new AppError('invalid_input', `${setting} names a bucket, and there are no keys for it.`, {
    remedy: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  });
}

export interface OpenMedia {
  assetFiles: AssetFiles;
  /** Recordings in the bucket of ONAIR_MEDIA; undefined where there is none. */
  media: RecordingMedia | undefined;
}

/** Rejects with AppError unavailable when the bucket cannot be used, and with invalid_input when there are no keys for it. */
export async function openMedia(config: Config, deps: Omit<AssetDeps, 'bucket'>): Promise<OpenMedia> {
  const bucket = await openBucket(config);
  const assetFiles = await openAssets(config, { ...deps, bucket });
  const { clock } = deps.store;
  const takes = config.recordings === 'bucket';
  const dir = join(config.data, 'transfers', 'recordings');
  return { assetFiles, media: bucket && recordingsInBucket({ bucket, clock, dir, takes }) };
}

interface AssetDeps {
  store: Store;
  /** Left out: the files of Assets are in the data folder alone. */
  bucket: MediaBucket | undefined;
  maxBytes: number;
  log: Log;
}

async function openAssets(config: Config, { store, bucket, maxBytes, log }: AssetDeps): Promise<AssetFiles> {
  const dir = join(config.data, 'assets');
  const local = await openAssetFiles(dir, {
    maxBytes,
    quota: { count: config.assetMaxCount || undefined, bytes: config.assetMaxBytes || undefined },
    log,
  });
  if (config.deviceUser !== undefined && isRoot()) shareAssets(dir, config.deviceUser);
  if (bucket === undefined) {
    if (isShared(config))
      log.warn(
        {},
        'Files of Assets are on this machine alone: other servers of the store cannot use them. Set ONAIR_MEDIA.',
      );
    return local;
  }
  log.info({ media: bucket.name }, 'Files of Assets are shared with the other servers.');
  const deps = { local, bucket, objectOf: (kind: string, filename: string) => objectOf(store, kind, filename), log };
  // Nothing waits for it: a copy too many does no harm.
  void dropDeletedCopies(deps).catch((error: unknown) => log.warn({ err: error }, 'Old copies of Assets were left.'));
  return sharedAssets(deps);
}

async function objectOf(
  store: Store,
  fileType: string,
  filename: string,
): Promise<{ key: string; bytes: number } | undefined> {
  const [asset] = (await store.find('assets', { where: { fileType, filename }, limit: 1 })).rows;
  const key = asset && (await store.get('mediaKeys', asset.id))?.row.key;
  return key === undefined ? undefined : { key, bytes: asset!.size_bytes };
}
