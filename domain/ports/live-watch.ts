/** The port that the page's feed listens to: what happens to broadcasts and rows, as it happens; control/ implements it. */
import type { z } from 'zod/v3';
import type { CollectionName } from './collections.ts';
import type { deviceLiveStatus } from '../shapes/devices/device.ts';
import type { LivestreamEvent } from '../shapes/installation/event.ts';
import type { LivestreamStatusView } from '../shapes/broadcasts/livestream-status.ts';
import type { Via } from '../shapes/installation/security.ts';

export type DeviceLiveStatus = z.infer<typeof deviceLiveStatus>;

/** The members of a status that have changed, each whole. */
export type StatusChange = Pick<LivestreamStatusView, 'livestreamId'> & Partial<LivestreamStatusView>;

/** A status with the flags of its media; null where its Device reports none. */
export type FlaggedStatus = LivestreamStatusView & { flags: number | null };

/** encodingId, frames a second, kbit/s, speed against real time, frames dropped. */
export type EncodingRates = readonly [number, number, number, number, number];

/**
 * livestreamId, frames a second and kbit/s of the source, milliseconds since its last frame, peak of the left and the right channel in dBFS,
 * flags of the media, rates of the renditions. null is what its Device does not report.
 */
export type RateRow = readonly [
  number,
  number,
  number,
  number | null,
  number | null,
  number | null,
  number | null,
  readonly EncodingRates[],
];

/** The caller behind a change, and the API that it came by. */
export interface Actor {
  user: string;
  via: Via;
}

export type LiveMessage =
  /** More than rates and levels has changed. `by` is left out for what a Device reports by itself. */
  | { type: 'status'; livestreams: readonly StatusChange[]; by?: Actor }
  /** Sent each second, also while nothing is on air. */
  | { type: 'rates'; at: string; rows: readonly RateRow[] }
  | { type: 'event'; event: Readonly<LivestreamEvent> }
  /** Devices whose state is not what it was, each whole. */
  | { type: 'device'; devices: readonly DeviceLiveStatus[] }
  /** Rows that were written or removed, by collection; null stands for more than are worth naming. */
  | { type: 'changed'; rows: ReadonlyMap<CollectionName, readonly number[] | null> };

/** All that a listener that begins now has to know; every later message is about a change of it. */
export interface LiveSnapshot {
  /** All Live streams, in the order of their ids. */
  livestreams: readonly FlaggedStatus[];
  devices: readonly DeviceLiveStatus[];
}

export interface LiveWatching {
  /** Changes that were not sent yet are sent before this returns, so no later message is older than the snapshot. */
  snapshot(): LiveSnapshot;
  end(): void;
}

export interface LiveWatch {
  /** Calls back from the moment it resolves. Rejects with AppError unavailable when the store is closed. */
  watch(listener: (message: LiveMessage) => void): Promise<LiveWatching>;
}
