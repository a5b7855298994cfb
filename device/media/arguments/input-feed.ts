/** The owner of the media that an ffmpeg reads from its stdin. */
import type { Writable } from 'node:stream';
import type { SourceTrouble } from '../ffmpeg-output/source-reason.ts';

/** Containers of media that comes by stdin: RTMP is FLV where FLV can hold it, and Matroska where not. */
export type PushedForm = 'flv' | 'matroska' | 'mpegts';

/** It stands between an ffmpeg and its peer, for as long as that ffmpeg lives. */
export interface InputRelay {
  /** Why nothing comes. */
  readonly trouble: SourceTrouble | undefined;
  close(): void;
}

/** A process of ours that takes the source in, and whose pipe an ffmpeg reads as its stdin. Both end together. */
export interface InputFeeder extends InputRelay {
  /** `start` starts the ffmpeg with this descriptor. */
  handOver<T>(start: (stdin: number) => T): T;
}

export interface FeedPace {
  /** Media that is there at once is given at its rate; left out: it is. */
  isPaced?: boolean;
  /**
   * Tells whether nobody notices when media comes a tenth of a second later. A reader of this process has it, which gets what is due; left
   * out for an ffmpeg, which keeps the pace itself.
   */
  mayWait?: (() => boolean) | undefined;
}

export interface InputFeed {
  attach(stdin: Writable, pace?: FeedPace): void;
  /** Why nothing comes. */
  readonly trouble: SourceTrouble | undefined;
}
