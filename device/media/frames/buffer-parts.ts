/** Parts of a source's buffer, and the frames that come out of it. */
import type { Frame } from './frame-pool.ts';

export interface SourceFrame {
  /** It is undefined when the source gives no video. */
  frame: Frame | undefined;
  /** It may be shorter than was asked for: the rest is silence. */
  audio: Buffer;
  /** So long it has been there, with its sound, beyond what the delay of the sound asks for. */
  waitedMs: number;
}

export interface WaitingFrame {
  frame: Frame;
  /** When its sound had come as well; undefined before. */
  wholeAt: number | undefined;
}

/** A stream of Node has these two. */
export interface Tap {
  pause(): void;
  resume(): void;
}

/** All of it may be left out. */
export interface BufferParts {
  /** The stream of the frames, which is paused while the buffer is full and has backpressure. */
  tap?: Tap | undefined;
  /** Nothing is ready before it has returned true. */
  hasSettled?: (() => boolean) | undefined;
  /** The source is a file: the tap is paused whenever enough of it is there. */
  isReadAhead?: boolean;
  /** Says which of the source's tracks is heard in each track of the programme; left out: the same number. */
  sources?: readonly number[];
  /** Milliseconds. */
  now?: () => number;
}
