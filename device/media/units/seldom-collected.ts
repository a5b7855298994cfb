/** How often V8 collects the garbage of this process. */
import { setFlagsFromString } from 'node:v8';

/** A buffer of less than half of it is a part of one. */
const PIECE_BYTES = 128 << 10;

/**
 * Media that is passed on lies outside a small heap, and V8 collects all of that heap for a share of it in new media: by itself, that takes a quarter
 * of the time of a runner of copies. Media that is written where it is read dies young, and its memory is free again when V8 next looks at young
 * objects alone: soon, for their space does not grow. Units are cut out of pieces for several, because a piece for each takes as long to get
 * as its unit takes to be written.
 */
export function collectSeldom(): void {
  setFlagsFromString('--heap-growing-percent=200');
  setFlagsFromString('--semi-space-growth-factor=1');
  Buffer.poolSize = PIECE_BYTES;
}
