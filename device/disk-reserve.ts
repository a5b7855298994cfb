/** The part of a disk that must stay free, so that the journal of the store, logs and segments go on being written. */

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
