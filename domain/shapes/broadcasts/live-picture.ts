/** Pictures of broadcasts on air for people who watch many of them, and the facts that a glance at picture and sound gives. */
import type { Condition } from './livestream-status.ts';

/** The most pixels of a side; a picture is never larger than the programme. */
export const PICTURE_WIDTHS = [320, 640] as const;
export type PictureWidth = (typeof PICTURE_WIDTHS)[number];

/** Left and right, in dBFS to a tenth; SILENCE_DBFS where no sample differs from zero. */
export type Peaks = [left: number, right: number];

/** The peak of a sample of the lowest value is -90.3 dBFS: this stands for less than that. */
export const SILENCE_DBFS = -100;

/** Bits of what is wrong with picture or sound, or was ordered so. */
export const SIGNAL_FLAGS = { black: 1, frozen: 2, silent: 4, blackout: 8, slate: 16 } as const;

export interface LivePicture {
  jpeg: Buffer;
  /** Milliseconds since the Unix epoch at which the frame went to the encoder. */
  takenAt: number;
  /** Pixels. */
  width: number;
  /** Peaks of the last second; undefined where no sound is decoded. */
  peaks: Peaks | undefined;
  /** Bits of SIGNAL_FLAGS. */
  flags: number;
}

/** A LivePicture as JSON, in which it leaves its runner and its Device. */
export interface SentPicture {
  /** In base64. */
  jpeg: string;
  taken_at: number;
  width: number;
  peaks?: Peaks | undefined;
  flags: number;
}

export function sentPicture({ jpeg, takenAt, width, peaks, flags }: LivePicture): SentPicture {
  return { jpeg: jpeg.toString('base64'), taken_at: takenAt, width, peaks, flags };
}

export function receivedPicture({ jpeg, taken_at, width, peaks, flags }: SentPicture): LivePicture {
  return { jpeg: Buffer.from(jpeg, 'base64'), takenAt: taken_at, width, peaks, flags };
}

/** Left out once the run is over, and by runners of earlier versions. */
export interface WatchFacts {
  /** The faults of the source on air, and a broadcast that falls behind. */
  conditions?: Condition[];
  /** Whether anything looks for conditions. */
  source_watched?: boolean;
}
