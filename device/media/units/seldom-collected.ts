/** How often V8 collects the garbage of this process. */
import { setFlagsFromString } from 'node:v8';

/**
 * Media that is passed on lies outside a small heap, and V8 collects all of that heap for each eight megabytes of it: that takes a quarter
 * of the time of a runner of copies, and a fifth of that of the push process. With this it does so for each forty.
 */
export function collectSeldom(): void {
  setFlagsFromString('--heap-growing-percent=400');
}
