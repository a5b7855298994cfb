// Loaded into each test process before its file: those that have media of their own wait for one another, whoever runs them.
import { createServer } from 'node:net';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const root = fileURLToPath(new URL('..', import.meta.url));

/** By path from the root of the project. */
export const needsQuiet = (file) => /^test\/(device|e2e)\/.*\.spec\.ts$/u.test(file);

// Set in the processes of the runner; it has the same arguments itself.
const isTest = process.env.NODE_TEST_CONTEXT !== undefined && isMainThread;
if (isTest && needsQuiet(relative(root, process.argv[1] ?? ''))) while (!(await take())) await sleep(100);

/** An abstract socket: the kernel lets go of it when its holder ends, however that comes about. */
function take() {
  return new Promise((resolve) => {
    const lock = createServer();
    lock.once('error', () => resolve(false));
    lock.listen('\0onair-tests-with-media', () => {
      lock.unref();
      resolve(true);
    });
  });
}
