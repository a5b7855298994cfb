import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Removes what processes that were killed have left in `folder`: each name is `prefix` and the number of a process. */
export function removeAbandoned(folder, prefix = '') {
  for (const name of readdirSync(folder)) {
    const pid = name.slice(prefix.length);
    if (name.startsWith(prefix) && /^\d+$/u.test(pid) && !existsSync(`/proc/${pid}`))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}
