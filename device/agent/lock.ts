/** One agent per Device directory. */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Holds a name in the abstract socket namespace of Linux (unix(7)): the kernel gives it up with the process, however that ends,
 * so there is no stale lock. The name tells of device and inode: containers that share the host's network share its names too, and
 * have the same paths. Undefined when another process holds it. Not seen across network namespaces: two containers
 * must not share a Device directory. `patienceMs`: how long an agent that is just ending is waited for.
 */
export async function acquireLock(deviceDir: string, patienceMs: number): Promise<(() => void) | undefined> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const release = await tryLock(deviceDir);
    if (release !== undefined || performance.now() >= deadline) return release;
    await delay(20);
  }
}

function tryLock(deviceDir: string): Promise<(() => void) | undefined> {
  const { dev, ino } = statSync(deviceDir, { bigint: true });
  const hash = createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 32);
  const server = createServer((connection) => connection.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(`\0onair-agent-${hash}`, () => {
      server.unref();
      resolve(() => server.close());
    });
  });
}
