/** The owner of the media that an ffmpeg reads from its stdin. */
import type { Writable } from 'node:stream';
import type { SourceTrouble } from '../ffmpeg-output/source-reason.ts';

/** It stands between an ffmpeg and its peer, for as long as that ffmpeg lives. */
export interface InputRelay {
  /** Why nothing comes. */
  readonly trouble: SourceTrouble | undefined;
  close(): void;
}

export interface InputFeed {
  attach(stdin: Writable, isPaced?: boolean): void;
  /** Why nothing comes. */
  readonly trouble: SourceTrouble | undefined;
}
