/** One agent per Device directory. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';

/** The answer of `flock -n` when another has the lock. */
const HELD = 1;
const RETRY_MS = 50;

/**
 * Holds the kernel's lock on a file in the directory (flock(2)), which nobody else may open: the kernel gives it up with the process,
 * however that ends, so there is no stale lock. Undefined when another process holds it. Machines that share a volume may not
 * see each other's locks: two of them must not share a Device directory. `patienceMs`: how long an agent that is just ending is waited for.
 */
export async function acquireLock(deviceDir: string, patienceMs: number): Promise<(() => void) | undefined> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const release = tryLock(join(deviceDir, 'agent.lock'));
    if (release !== undefined || performance.now() >= deadline) return release;
    await delay(RETRY_MS);
  }
}

/** The lock belongs to the open file: what util-linux takes on a descriptor that it inherits stays with this process. */
function tryLock(path: string): (() => void) | undefined {
  const fd = openSync(path, 'a+', 0o600);
  const { status, error, stderr } = spawnSync('flock', ['-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', fd],
    encoding: 'utf8',
  });
  if (status === 0) return () => closeSync(fd);
  closeSync(fd);
  if (status === HELD) return undefined;
  const why = error === undefined ? `${stderr.trim()}. Choose a file system with locks` : 'Install util-linux (flock)';
  throw new AppError('unavailable', `The lock ${path} cannot be taken: ${why}.`, { cause: error });
}
