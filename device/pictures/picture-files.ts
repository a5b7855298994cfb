/**
 * The places of pictures on a Device: a file each, in a folder for each hour of a Live stream. Of a broadcast that copies its source there are
 * coded keyframes, until somebody looks.
 */
import { join } from 'node:path';

const HOUR_SECONDS = 3600;
const NAME = /^(\d+)(e?)\.(jpg|ts)$/u;

export function picturesRoot(deviceDir: string): string {
  return join(deviceDir, 'pictures');
}

export function picturesDir(deviceDir: string, livestreamId: number): string {
  return join(picturesRoot(deviceDir), String(livestreamId));
}

/** The name of the folder with the pictures of this second: hours since 1970. */
export function hourOf(atSeconds: number): number {
  return Math.floor(atSeconds / HOUR_SECONDS);
}

export interface PictureName {
  atSeconds: number;
  isOfEvent: boolean;
  /** It is a transport stream of one keyframe. */
  isCoded: boolean;
}

export function pictureName({ atSeconds, isOfEvent, isCoded }: PictureName): string {
  return `${atSeconds}${isOfEvent ? 'e' : ''}.${isCoded ? 'ts' : 'jpg'}`;
}

/** undefined for a file of another kind. */
export function parsePictureName(name: string): PictureName | undefined {
  const [, seconds, event, kind] = NAME.exec(name) ?? [];
  return seconds === undefined
    ? undefined
    : { atSeconds: Number(seconds), isOfEvent: event !== '', isCoded: kind === 'ts' };
}
