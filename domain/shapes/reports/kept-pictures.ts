/** Small pictures of a broadcast that its runner keeps on its Device, so that people see after a fault what viewers saw. */

/** In pixels. A JPEG of it has 5-8 kB: one a minute makes some 10 MB a day. */
export const KEPT_WIDTH = 320;

/** A JPEG or, of a broadcast that copies its source, a transport stream of one keyframe. */
export interface PictureToKeep {
  bytes: Buffer;
  /** Milliseconds since 1970. */
  takenAt: number;
}

export interface KeptPicture {
  /** Second since 1970 in which the frame went out. */
  atSeconds: number;
  /** Whether it was kept because of an event, and not because a minute was over. */
  isOfEvent: boolean;
  jpeg: Buffer;
}

/** A KeptPicture as JSON, in which it leaves its Device. */
export interface SentKeptPicture {
  at: number;
  of_event: boolean;
  /** In base64. */
  jpeg: string;
}

export interface PicturesWanted {
  /** Seconds since 1970; the end is not in it. */
  fromSeconds: number;
  toSeconds: number;
  /** At most that many, MAX_KEPT_PICTURES or fewer, spread over the time; those of events are preferred. */
  most: number;
}

/** In one answer. */
export const MAX_KEPT_PICTURES = 60;

export function sentKeptPicture({ atSeconds, isOfEvent, jpeg }: KeptPicture): SentKeptPicture {
  return { at: atSeconds, of_event: isOfEvent, jpeg: jpeg.toString('base64') };
}

export function receivedKeptPicture({ at, of_event, jpeg }: SentKeptPicture): KeptPicture {
  return { atSeconds: at, isOfEvent: of_event, jpeg: Buffer.from(jpeg, 'base64') };
}

/** The range is cut into `most` parts, of each of which one is chosen: one of an event, else the first. Expects them in their order. */
export function chosenPictures<T extends Pick<KeptPicture, 'atSeconds' | 'isOfEvent'>>(
  all: readonly T[],
  { fromSeconds, toSeconds, most }: PicturesWanted,
): T[] {
  if (all.length <= most) return [...all];
  const part = (toSeconds - fromSeconds) / most;
  const chosen = new Map<number, T>();
  for (const one of all) {
    const at = Math.min(most - 1, Math.floor((one.atSeconds - fromSeconds) / part));
    const known = chosen.get(at);
    if (known === undefined || (one.isOfEvent && !known.isOfEvent)) chosen.set(at, one);
  }
  return [...chosen.values()];
}
