/** The part of a disk that must stay free, so that the journal of the store, logs and segments go on being written. */
import { statfs } from 'node:fs/promises';
import type { RunReport } from '../domain/run.ts';

export type DiskSpace = NonNullable<RunReport['disk']>;

/** At 20 Mbit/s these are seven minutes; enough for the store's journal and every log to go on. */
const RECORD_RESERVE_BYTES = 1024 ** 3;
/** No more than this share of a small disk stays free. */
const RESERVE_SHARE = 0.1;
/** Segments replace their elders and hardly grow: they are written until an eighth of that is left. */
const SEGMENT_PART = 1 / 8;

export interface Reserve {
  record: number;
  segments: number;
}

/** Bytes that must stay free on a filesystem of `sizeBytes`, before Recordings and before segments stop. */
export function reserveOf(sizeBytes: number): Reserve {
  const record = Math.min(RECORD_RESERVE_BYTES, sizeBytes * RESERVE_SHARE);
  return { record, segments: record * SEGMENT_PART };
}

/** Bytes that an unprivileged process may still write: the blocks reserved for root do not count. Rejects with the error of statfs(2). */
export async function freeSpace(dir: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(dir);
  return { free_bytes: bavail * bsize, size_bytes: blocks * bsize };
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}
