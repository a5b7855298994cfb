/**
 * A file that marks the folder as one in which a store was begun. It is written once the first journal is durable: from then on a folder
 * without a journal, or with an empty one, is damaged, and no new store begins in it.
 */
import { access, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HISTORY_NAMES } from '../../domain/ports/collections.ts';
import { syncFolder } from '../../linux/folder.ts';
import { pathOf } from '../files/files.ts';
import { unusable, type Recovery } from './recovery.ts';

const CONTENT =
  'This folder holds a store of onair: snapshot and journals. Back them up and bring them back together.\n';
/** History gets files of its own once there are journals. */
const HISTORY_FILE = new RegExp(`^(?:${HISTORY_NAMES.join('|')})-\\d+\\.`, 'u');

/** Throws AppError unavailable when the journal that must be there is missing or has lost its first line. */
export async function assertJournalKept(dir: string, { tail, snapshotNumber }: Recovery): Promise<void> {
  const first = snapshotNumber || 1;
  // The first journal is durable before anything else is written. A later journal may be empty: a crash between its creation and its first
  // line leaves it so, and loses nothing.
  if (tail !== undefined && (tail.bytes > 0 || tail.number > first)) return;
  const path = pathOf(dir, 'journal', first);
  const segment = (await readdir(dir)).find((name) => HISTORY_FILE.test(name));
  const isBegun = snapshotNumber > 0 || segment !== undefined || (await exists(formatPath(dir)));
  if (!isBegun) return;
  throw unusable(`${path} is ${tail === undefined ? 'missing' : 'empty or has lost its first line'}`, { file: path });
}

/** Folders that an older version began have none yet. */
export async function writeFormat(dir: string): Promise<void> {
  if (await exists(formatPath(dir))) return;
  const handle = await open(formatPath(dir), 'w', 0o600);
  try {
    await handle.writeFile(CONTENT);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(dir);
}

function formatPath(dir: string): string {
  return join(dir, 'format');
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
