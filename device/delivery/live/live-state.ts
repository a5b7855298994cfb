/**
 * The newest part of a Destination of low latency, in a file beside its media: the runner replaces it after each part, and whoever serves
 * the folder watches it.
 */
import { join } from 'node:path';
import { readCached, writeAtomic } from '../../atomic-file.ts';

/** The name begins with a dot, so it is never served. */
export const LIVE_FILE = '.live.json';

export interface LiveState {
  /** End of the names of all media of the run, without the extension. */
  suffix: string;
  /** Number of the segment that is being made, and how many parts of it there are. All tracks have the same. */
  sequence: number;
  parts: number;
  /** Parts of the segment before. */
  lastParts: number;
  targetSeconds: number;
  ended: boolean;
}

/** Undefined when nothing of the folder is of low latency. */
export function readLiveState<T extends LiveState = LiveState>(dir: string): T | undefined {
  return readCached(join(dir, LIVE_FILE)) as T | undefined;
}

/** Throws the error of the filesystem. */
export function writeLiveState(dir: string, state: LiveState): void {
  writeAtomic(join(dir, LIVE_FILE), JSON.stringify(state));
}
