// Loaded into each test process before its file. Media must be in time, whatever is computed beside it.
import { setPriority } from 'node:os';
import { relative } from 'node:path';
import { isMedia } from './test-places.mjs';

/** Enough to let media go first, and not so much that a program beside the tests brings what computes to a standstill. */
const LOWER = 2;

// Programs that a test starts have the same priority.
if (!isMedia(relative(process.env.ONAIR_TEST_BUILD ?? '', process.argv[1] ?? ''))) setPriority(LOWER);
