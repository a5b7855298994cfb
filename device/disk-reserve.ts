/** The part of a disk that must stay free, so that the journal of the store, logs and segments go on being written. */
import type { StorageUse } from '../domain/shapes/devices/device-storage.ts';

/** At 20 Mbit/s these are seven minutes; enough for the store's journal and every log to go on. */
const RECORD_RESERVE_BYTES = 1024 ** 3;
/** No more than this share of a small disk stays free. */
const RESERVE_SHARE = 0.1;
/** Segments replace their elders and hardly grow: they are written until an eighth of that is left. */
const SEGMENT_PART = 1 / 8;

/** So many times the reserve must be free before outputs go on: files that come and go must not turn recordings on and off. */
const RETURN_FACTOR = 1.25;

export interface Reserve {
  record: number;
  segments: number;
}

/** Bytes that must stay free on a filesystem of `sizeBytes`, before Recordings and before segments stop. */
export function reserveOf(sizeBytes: number): Reserve {
  const record = Math.min(RECORD_RESERVE_BYTES, sizeBytes * RESERVE_SHARE);
  return { record, segments: record * SEGMENT_PART };
}

/** Whether outputs of that use have to wait for room. `wasShort`: they wait already. */
export function isShort(use: StorageUse, { free, total }: { free: number; total: number }, wasShort: boolean): boolean {
  return free < reserveFor(use, total) * (wasShort ? RETURN_FACTOR : 1);
}

export function reserveFor(use: StorageUse, total: number): number {
  const { record, segments } = reserveOf(total);
  return use === 'recordings' ? record : segments;
}
