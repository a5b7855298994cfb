// Loaded into each test process before its file. Media must be in time, whatever is computed beside it.
import { setPriority } from 'node:os';
import { relative } from 'node:path';
import { isMedia } from './test-places.mjs';

/** Enough to let media go first, and not so much that a program beside the tests brings what computes to a standstill. */
const LOWER = 2;
/** Three times the share of a program that runs beside the tests. */
const HIGHER = -5;

/** Programs that a test starts have the same priority. */
function setOwnPriority() {
  if (!isMedia(relative(process.env.ONAIR_TEST_BUILD ?? '', process.argv[1] ?? ''))) return setPriority(LOWER);
  try {
    setPriority(HIGHER);
  } catch {
    // Only root may raise a priority; without it, media has that of all other programs.
  }
}

setOwnPriority();
