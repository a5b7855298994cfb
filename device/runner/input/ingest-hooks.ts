/** The hooks by which an ingest reports to its owner. */
import type { Writable } from 'node:stream';
import type { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import type { CopiedFormat } from '../stream/copied-format.ts';
import type { Misfit } from '../watch/stream-watch.ts';

export interface IngestHooks {
  /** The first media of a connection has come. */
  onFirstMedia(): void;
  /** Some media has come, the first included. */
  onMedia?(): void;
  /** A source has shown that it is live by giving nothing for a moment. */
  onLive?(): void;
  onDown(reason: SourceTrouble): void;
  /** The other end has refused the source more than once, and so will the next time. */
  onRefused?(why: string): void;
  /** The source will not be tried again. */
  onFailed?(reason: string): void;
  /** The address holds a playlist; returns whether that is news, and the next connection another. */
  onPlaylist?(): boolean;
  /** A reader of what is pushed has started. While `mayWait` answers true nobody notices when that comes a tenth of a second later. */
  onNeedsInput?(input: Writable, mayWait?: () => boolean): void;
  /** Another ffmpeg gets more of the same source at once: its encoder sends on, in another format. */
  continues?(): boolean;
}

/** The ingest of a copied source tells this besides. */
export interface CopyHooks {
  onMissing?(tracks: number[]): void;
  /** The source is coded in another way from the next keyframe on. */
  onFormat?(from: CopiedFormat, to: CopiedFormat): void;
  /** The source gives other streams by now than its connection takes. */
  onMisfit?(misfit: Misfit): void;
  /** ffmpeg reads from now on what was read in this process; the reason is half a sentence. */
  onGivenBack?(why: string): void;
  /** Packets are missing in so many places of a transport stream. */
  onLost?: ((why: string, places: number) => void) | undefined;
}
