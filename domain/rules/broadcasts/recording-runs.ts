/** In which run a Recording goes on, when its broadcast begins anew or is moved; each runs inside a commit. */
import type { Run } from '../../shapes/broadcasts/run.ts';
import type { Tx } from '../../ports/store.ts';

/** Recordings of the run go on in the next one; so do those that were to go on in this one, which has recorded nothing. */
export function recordOn(tx: Tx, { id, runId }: Pick<Run, 'id' | 'runId'>, goes_on: string): void {
  const { rows } = tx.find('recordings', { where: { livestreamId: id } });
  const recorded = new Set(rows.flatMap((row) => (row.runId === runId ? [row.publishingId] : [])));
  for (const row of rows) {
    const isOpen = row.runId === runId && row.status === 'recording';
    if (isOpen || (row.goes_on === runId && !recorded.has(row.publishingId))) tx.put('recordings', { ...row, goes_on });
  }
}

/** They go on in this run after all: `other`, which had its place for a moment, gives it back. */
export function recordBack(tx: Tx, { id, runId }: Pick<Run, 'id' | 'runId'>, other: string): void {
  const { rows } = tx.find('recordings', { where: { livestreamId: id } });
  const recorded = new Set(rows.flatMap((row) => (row.runId === runId ? [row.publishingId] : [])));
  for (const { goes_on, ...row } of rows) {
    if (goes_on !== other) continue;
    tx.put('recordings', recorded.has(row.publishingId) ? row : { ...row, goes_on: runId });
  }
}
