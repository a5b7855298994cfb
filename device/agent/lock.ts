/** The lock of a Device directory, which one agent serves. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lockFile } from '../../linux/file-lock.ts';

const RETRY_MS = 50;

/**
 * Undefined when another process has the directory. Machines that share a volume may not see each other's locks: two of them must not share
 * a Device directory. `waitMs` bounds the wait for an agent that is just ending. Rejects with AppError unavailable.
 */
export async function acquireLock(deviceDir: string, waitMs: number): Promise<(() => void) | undefined> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const release = lockFile(join(deviceDir, 'agent.lock'));
    if (release !== undefined || performance.now() >= deadline) return release;
    await delay(RETRY_MS);
  }
}
