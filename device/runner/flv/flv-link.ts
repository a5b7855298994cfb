/** A connection that gives the messages of one FLV stream. */
import type { Reach } from '../../../domain/network/networks.ts';
import type { RtmpMessage } from '../../media/rtmp/rtmp-chunks.ts';

export interface LinkDeps {
  reach: Reach;
  /** PEM, for TLS. */
  authorities: () => string[];
  /** Milliseconds since 1970. */
  now: () => number;
}

export interface LinkHooks {
  onMessage(message: RtmpMessage): void;
  /** It has ended by itself, or never began: a SourceTrouble, a NetworkRefusal, or NotRead for what ffmpeg has to be asked about. */
  onEnd(why: Error): void;
  /** Tells whether nobody notices when messages come a tenth of a second later. */
  mayWait(): boolean;
}

export interface FlvLink {
  /** Nothing more is read until `resume`. */
  pause(): void;
  resume(): void;
  /** Nothing is heard of it any more. */
  close(): void;
}
