/** The two forms in which an encoder's media is handed on, packets (FanOut) and fragments (FragmentBus), share these types. */

import type { CopiedFormat } from './copied-format.ts';

/** Room between the last time stamp of a dead encoder and the first of the next: the priming frame of AAC (21 ms) or of Opus. */
export const SEAM_SECONDS = 0.025;

/** The media that has left the encoder, in seconds of the stream; undefined: none of the kind. */
export interface EmittedMedia {
  videoEnd: number | undefined;
  /** The first audio track: its end, and the length of its last unit. */
  audio: { end: number; step: number } | undefined;
}

export interface UnitCount {
  units: number;
  bytes: number;
}

export interface MediaBus {
  /** Steady clock. */
  readonly lastDataAt: number;
  /** Time at which the next encoder begins, in seconds: just after all that was sent. */
  readonly nextSeconds: number;
  readonly emitted: EmittedMedia;
  /** The bytes that follow come from another process. */
  newWriter(): void;
  /** Units and bytes of a track since the last call. */
  takeCount(pid: number): UnitCount;
}

export interface MediaBusHooks {
  /** The first media has come. */
  onStarted(): void;
  /** The source of a copy is coded in another way from the next unit on. */
  onFormat?(from: CopiedFormat, to: CopiedFormat): void;
  /** A stream of a copied source is coded in another way than its writer says, and is left out until another writer begins. */
  onForeign?(stream: 'picture' | 'sound'): void;
  /** A unit of the leading track leaves now; `pts` in 90 kHz ticks, unwrapped. */
  onFrame(pts: number, isKey: boolean): void;
}
