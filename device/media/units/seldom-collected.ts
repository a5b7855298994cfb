/** How often V8 collects the garbage of this process. */
import { setFlagsFromString } from 'node:v8';

/** A buffer of less than half of it is a part of one. */
const PIECE_BYTES = 128 << 10;

/**
 * Media that is passed on lies outside a small heap, and V8 collects all of that heap for each eight megabytes of it: that takes a quarter
 * of the time of a runner of copies, and a fifth of that of the push process. With this it does so for each forty. Units are cut out of pieces
 * for several, because a piece for each takes as long to get as its unit takes to be written.
 */
export function collectSeldom(): void {
  setFlagsFromString('--heap-growing-percent=400');
  Buffer.poolSize = PIECE_BYTES;
}
