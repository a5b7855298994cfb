/** Bounds and parts of a source's buffer, and the frames that come out of it. */
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

/** The first frame is given out at once. Behind a gap two more, and so many seconds, are gathered: frames come unevenly then. */
const CUSHION_SECONDS = 0.066;
/**
 * More are dropped, oldest first: a third of a second, as long as a busy machine may stop a process, and 31 MB at 1080p and 30 frames a
 * second. At lower rates the cushion needs as many.
 */
const MAX_SECONDS = 1 / 3;
const MIN_MAX_FRAMES = 10;
/** So many frames of a file are there before they are due: as long as a busy machine may stop its ffmpeg. */
const READ_AHEAD_FRAMES = 5;
/** A source that begins anew, or goes on air, begins with so many frames over those that wait for their sound. */
export const RESERVE_FRAMES = 1;
/** So much audio may wait: without frames to go by, only this limits it. */
export const MAX_AUDIO_SECONDS = { alone: 0.5, besideFrames: 3 };
/** Sound is given out alone when no picture has come beside it for so long: at the beginning, and when there were some before. */
export const ALONE_MS = { first: 2000, later: 600 };

/** How many frames may wait, and how many are gathered behind a gap. */
export function boundsOf(fps: number, isReadAhead: boolean): { maxFrames: number; cushion: number } {
  const maxFrames = Math.max(MIN_MAX_FRAMES, Math.round(fps * MAX_SECONDS));
  return {
    maxFrames: isReadAhead ? READ_AHEAD_FRAMES : maxFrames,
    cushion: Math.max(2, Math.round(fps * CUSHION_SECONDS)),
  };
}
