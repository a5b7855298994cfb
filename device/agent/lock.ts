/** One agent per Device directory. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lockFile } from '../../linux/file-lock.ts';

const RETRY_MS = 50;

/**
 * Undefined when another process holds the directory. Machines that share a volume may not see each other's locks: two of them must not
 * share a Device directory. `patienceMs`: how long an agent that is just ending is waited for. Throws AppError unavailable.
 */
export async function acquireLock(deviceDir: string, patienceMs: number): Promise<(() => void) | undefined> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const release = lockFile(join(deviceDir, 'agent.lock'));
    if (release !== undefined || performance.now() >= deadline) return release;
    await delay(RETRY_MS);
  }
}
