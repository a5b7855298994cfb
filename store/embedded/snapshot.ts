/**
 * Writes a snapshot while commits go on. It is fuzzy: each row is as it was when the walk reached it. The journal that begins before the
 * walk has every later operation whole, so replaying it over the snapshot gives the one true state.
 */
import { open, rename, rm } from 'node:fs/promises';
import { syncFolder } from '../../linux/folder.ts';
import { pathOf, unfinishedSnapshotPath, writeAll } from '../files/files.ts';
import type { HistoryInSnapshot } from '../history/history.ts';
import { lineOf } from '../files/lines.ts';
import type { SnapshotFooter, SnapshotHeader } from './recovery.ts';
import type { Tables } from '../tables/tables.ts';

/** About 0.3 ms of work between two turns of the event loop; smaller pieces would only add system calls. */
const PIECE_CHARACTERS = 64 * 1024;

interface WriteSnapshotOptions {
  header: Omit<SnapshotHeader, 'format'>;
  tables: Tables;
  settled: () => Promise<void>;
  history?: HistoryInSnapshot | undefined;
}

/**
 * `settled` resolves when everything that was in memory at its call is in the journal; the snapshot must not count before that, because it
 * may hold half of a commit that never becomes durable. Answers the size in bytes.
 */
export async function writeSnapshot(
  dir: string,
  number: number,
  { header, tables, settled, history = {} }: WriteSnapshotOptions,
): Promise<number> {
  const temporary = unfinishedSnapshotPath(dir);
  const handle = await open(temporary, 'w', 0o600);
  let size = 0;
  try {
    for (const piece of piecesOf(tables, { format: 'onair-snapshot', ...header }, history)) {
      const bytes = Buffer.from(piece);
      await writeAll(handle, bytes, size);
      size += bytes.length;
    }
    await settled();
    await handle.sync();
  } catch (error) {
    await handle.close();
    await rm(temporary, { force: true });
    throw error;
  }
  await handle.close();
  await rename(temporary, pathOf(dir, 'snapshot', number));
  await syncFolder(dir);
  return size;
}

function* piecesOf(tables: Tables, header: SnapshotHeader, history: HistoryInSnapshot): Generator<string> {
  let piece = lineOf(JSON.stringify(header));
  let rows = 0;
  for (const table of tables.all()) {
    for (const [id, { row, version }] of table.entries()) {
      piece += lineOf(JSON.stringify([table.name, id, version, row]));
      rows += 1;
      if (piece.length < PIECE_CHARACTERS) continue;
      yield piece;
      piece = '';
    }
  }
  const footer: SnapshotFooter = { rows, nextIds: tables.nextIds(), leases: [...tables.leases.values()], history };
  yield piece + lineOf(JSON.stringify(footer));
}
