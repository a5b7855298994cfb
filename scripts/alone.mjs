// Loaded into each test process before its file: the machine has two places for tests with media of their own, whoever runs them.
import { createServer } from 'node:net';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/** Those that hold times or losses of pictures against a bound want both places: another broadcast would be measured with theirs. */
const MEASURED = new Set([
  ...['agent-life', 'on-air', 'runs'].map((name) => `test/device/agent/${name}.spec.ts`),
  ...['blackout', 'machine-use', 'overload', 'picture', 'preview', 'sources-switch'].map(
    (name) => `test/device/runner/${name}.spec.ts`,
  ),
  ...['changes', 'destinations', 'drills', 'isolation', 'on-air', 'planned-actions', 'planned-actions-start'].map(
    (name) => `test/e2e/${name}.spec.ts`,
  ),
  ...['recordings', 'survival'].map((name) => `test/e2e/${name}.spec.ts`),
]);

/** How many of the places; the file by its path from the root of the project. */
export function placesOf(file) {
  if (MEASURED.has(file)) return 2;
  return /^test\/(device|e2e)\/.*\.spec\.ts$/u.test(file) ? 1 : 0;
}

const PLACES = ['\0onair-tests-with-media', '\0onair-tests-with-media-too'];

// Set in the processes of the runner; it has the same arguments itself.
const isTest = process.env.NODE_TEST_CONTEXT !== undefined && isMainThread;
const spec = relative(process.env.ONAIR_TEST_BUILD ?? '', process.argv[1] ?? '').replace(/\.js$/u, '.ts');
const wanted = isTest ? placesOf(spec) : 0;
if (wanted > 0) {
  // Who waits for both is not passed by those who want one.
  const turn = await take(['\0onair-tests-next']);
  for (let held = 0; held < wanted; held += 1) await take(PLACES);
  turn.close();
}

/** One of the abstract sockets: the kernel lets go of it when its holder ends, however that comes about. */
async function take(names) {
  for (;;) {
    for (const name of names) {
      const lock = await hold(name);
      if (lock !== undefined) return lock;
    }
    await sleep(100);
  }
}

function hold(name) {
  return new Promise((resolve) => {
    const lock = createServer();
    lock.once('error', () => resolve(undefined));
    lock.listen(name, () => {
      lock.unref();
      resolve(lock);
    });
  });
}
