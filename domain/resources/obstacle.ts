/** What is in the way of a start, as far as its Device has told it. */
import type { EventKind, Severity } from '../event.ts';
import type { Run, RunReport } from '../run.ts';
import type { Store } from '../store.ts';

const OBSTACLES: readonly Severity[] = ['warning', 'error'];
/** How a run ended, of one before this that ended in the same instant. */
const ENDINGS: readonly EventKind[] = ['start_failed', 'stopped'];
/** Between two obstacles there may be events of other things. */
const LOOKED_AT = 20;

/**
 * What the event log says last of what is in the way of this run; undefined: nothing yet, or it is not starting. `report`: its Device's
 * last, which knows of a source that has come since.
 */
export async function lastObstacle(
  store: Pick<Store, 'find'>,
  run: Readonly<Run> | undefined,
  report: RunReport | undefined,
): Promise<string | undefined> {
  if (run?.status !== 1 || run.started_at === null) return undefined;
  const where = { livestreamId: run.id, at: { gte: run.started_at } };
  const { rows } = await store.find('events', { where, sort: { field: 'at', descending: true }, limit: LOOKED_AT });
  const isPast = (kind: EventKind): boolean =>
    ENDINGS.includes(kind) || (kind === 'source_lost' && report?.runId === run.runId && report.source.state === 'up');
  return rows.find(({ severity, kind }) => OBSTACLES.includes(severity) && !isPast(kind))?.message;
}
