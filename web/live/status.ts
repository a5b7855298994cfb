/** The shapes that the feed carries, by the member names of getLivestreamStatus and getDevicesLiveStatus. */
import type { Schemas } from '../../client/types.d.ts';

/** Without what is made for one answer alone. */
export type LivestreamStatus = Omit<Schemas['LivestreamStatus'], 'watch' | 'next'>;
export type Publishing = LivestreamStatus['publishings'][number];
export type Path = Publishing['primary'];
export type DeviceStatus = Required<Schemas['DevicesLiveStatusRow']>;

/** Who made a change, and by which api. */
export interface By {
  user: string;
  via: string;
}

/** One encoding of a broadcast: encodingId, fps, kbit/s, speed against real time, frames dropped since the start. */
type EncodingRates = readonly [number, number, number, number, number];

/** A stream's figures of one second. */
export interface Rates {
  /** Milliseconds since 1970, on the server's clock. */
  at: number;
  fps: number;
  kbps: number;
  /** Milliseconds since the last frame; null before the first. */
  sinceFrameMs: number | null;
  /** dBFS; null is no sound. */
  peakLeft: number | null;
  peakRight: number | null;
  flags: number;
  encodings: readonly EncodingRates[];
}

/** Bits of `flags`. */
export const FLAGS = { slate: 16 } as const;

/** The members of a stream whose first message carried but a few of them. */
export function unknownStatus(livestreamId: number): LivestreamStatus {
  return {
    livestreamId,
    name: `${livestreamId}`,
    status: 0,
    errorstatus: null,
    since: null,
    uptime_seconds: 0,
    deviceId: null,
    slot: null,
    source: null,
    conditions: [],
    source_watched: null,
    lost_seconds: 5,
    encodings: [],
    publishings: [],
    runtime: { logo: null, blackout: 'Live', text: null, source: null },
    recordingId: null,
    recording_on_request: false,
    scheduleId: null,
    on_air: false,
    device_lost_since: null,
    viewers: null,
  };
}
