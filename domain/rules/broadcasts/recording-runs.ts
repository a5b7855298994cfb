/** In which run a Recording goes on, when its broadcast begins anew or is moved; each runs inside a commit. */
import type { Run } from '../../shapes/broadcasts/run.ts';
import type { Recording } from '../../shapes/media/recording.ts';
import type { Tx } from '../../ports/store.ts';

type RunName = Pick<Run, 'id' | 'runId'>;

/** Recordings of the run go on in the next one; so do those that were to go on in this one, which has recorded nothing. */
export function recordOn(tx: Tx, run: RunName, goes_on: string): void {
  const { rows, recorded } = recordingsOf(tx, run);
  for (const row of rows) {
    const isOpen = row.runId === run.runId && row.status === 'recording';
    if (isOpen || (row.goes_on === run.runId && !recorded.has(row.publishingId)))
      tx.put('recordings', { ...row, goes_on });
  }
}

/** They go on in this run after all: `other`, which had its place for a moment, gives it back. */
export function recordBack(tx: Tx, run: RunName, other: string): void {
  const { rows, recorded } = recordingsOf(tx, run);
  for (const { goes_on, ...row } of rows) {
    if (goes_on !== other) continue;
    tx.put('recordings', recorded.has(row.publishingId) ? row : { ...row, goes_on: run.runId });
  }
}

/** All Recordings of the Live stream, and the Destinations that this run has recorded. */
function recordingsOf(tx: Tx, { id, runId }: RunName): { rows: readonly Readonly<Recording>[]; recorded: Set<number> } {
  const { rows } = tx.find('recordings', { where: { livestreamId: id } });
  const recorded = new Set(rows.flatMap((row) => (row.runId === runId ? [row.publishingId] : [])));
  return { rows, recorded };
}
