/** Removes what Destinations once served: a stopped Live stream stays watchable for a day, not until the disk is full. */
import { renameSync } from 'node:fs';
import { rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn } from '../../folder.ts';
import { liveRoot } from '../../run-dir.ts';

const KEPT_MS = 24 * 3600 * 1000;
/** Taken out of delivery, being removed; a name that no Live stream has. */
const GONE = '.gone-';
const ID = /^\d+$/u;

/**
 * Removes the folders of Publishings that did not change for a day and whose Live stream `isHeld` denies. `nowMs` as the clock of
 * the filesystem has it. Rejects with what the filesystem says, but not for a folder that is missing.
 */
export async function sweepLive(
  deviceDir: string,
  isHeld: (livestreamId: number) => boolean,
  nowMs: number,
): Promise<void> {
  const root = liveRoot(deviceDir);
  for (const livestream of await namesIn(root)) {
    if (livestream.startsWith(GONE)) await rm(join(root, livestream), { recursive: true, force: true });
    if (!ID.test(livestream) || isHeld(Number(livestream))) continue;
    const dir = join(root, livestream);
    for (const publishing of await namesIn(dir)) {
      const folder = join(dir, publishing);
      if (nowMs - (await changedAt(folder)) < KEPT_MS) continue;
      // Between this look and the rename nothing can start; a run that comes later finds the name free.
      if (isHeld(Number(livestream))) break;
      const gone = join(root, `${GONE}${livestream}-${publishing}`);
      renameSync(folder, gone);
      await rm(gone, { recursive: true, force: true });
    }
    // Only an empty one goes.
    await rmdir(dir).catch(() => undefined);
  }
}

/** Each segment replaces the journal, which changes the folder too. */
async function changedAt(folder: string): Promise<number> {
  const times = [folder, join(folder, '.journal.json')].map(async (path) => {
    try {
      return (await stat(path)).mtimeMs;
    } catch {
      return 0;
    }
  });
  return Math.max(...(await Promise.all(times)));
}
