/** Removes segments that Destinations served: a stopped Live stream stays watchable for a day, and not until the disk is full. */
import { renameSync } from 'node:fs';
import { rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifAbsent } from '../../../domain/base/absent.ts';
import { namesIn } from '../../../linux/folder.ts';
import { liveRoot } from '../../run-dir.ts';

const KEPT_MS = 24 * 3600 * 1000;
/** Prefix of a folder that is out of delivery and being removed; no Live stream has such a name. */
const GONE = '.gone-';
const ID = /^\d+$/u;

/**
 * Removes the folders of Publishings that did not change for a day and whose Live stream `isHeld` denies. `nowMs` is the time by the
 * filesystem's clock. Rejects with the error of the filesystem, but not for a missing folder.
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
      // Nothing can start between this look and the rename; a run that comes later finds the name free.
      if (isHeld(Number(livestream))) break;
      const gone = join(root, `${GONE}${livestream}-${publishing}`);
      renameSync(folder, gone);
      await rm(gone, { recursive: true, force: true });
    }
    // rmdir(2) removes only an empty folder; one that Destinations still use stays.
    await rmdir(dir).catch(() => undefined);
  }
}

/** Each segment replaces the journal, which changes the folder too. */
async function changedAt(folder: string): Promise<number> {
  // Where there is no journal, the time of the folder counts.
  const times = [folder, join(folder, '.journal.json')].map((path) =>
    stat(path).then(({ mtimeMs }) => mtimeMs, ifAbsent(0)),
  );
  return Math.max(...(await Promise.all(times)));
}
