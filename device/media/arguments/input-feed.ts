/** The owner of the media that an ffmpeg reads from its stdin. */
import type { Writable } from 'node:stream';
import type { SourceTrouble } from '../ffmpeg-output/source-reason.ts';

export interface InputFeed {
  attach(stdin: Writable, isPaced?: boolean): void;
  /** Why nothing comes. */
  readonly trouble: SourceTrouble | undefined;
}
