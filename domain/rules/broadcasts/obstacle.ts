/** Finds the obstacle of a start in the reports of its Device. */
import type { EventKind, Severity } from '../../shapes/installation/event.ts';
import type { Run, RunReport } from '../../shapes/broadcasts/run.ts';
import type { Store } from '../../ports/store.ts';

const OBSTACLES: readonly Severity[] = ['warning', 'error'];
/** The end of a previous run may have the same instant as the beginning of this one. */
const ENDINGS: readonly EventKind[] = ['start_failed', 'stopped', 'device_lost'];
/** Events of other kinds may lie between two obstacles. */
const LOOKED_AT = 20;

/**
 * Answers the event log's last obstacle of this run; undefined when there is none, or when the run is not starting. `report` is the last of
 * its Device, which knows of a source that has come since. `from` is the instant of the try that is asked about; left out: of the first.
 */
export async function lastObstacle(
  store: Pick<Store, 'find'>,
  run: Readonly<Run> | undefined,
  report: RunReport | undefined,
  from = run?.started_at,
): Promise<string | undefined> {
  if (run?.status !== 1 || from == null) return undefined;
  const where = { livestreamId: run.id, at: { gte: from } };
  const { rows } = await store.find('events', { where, sort: { field: 'at', descending: true }, limit: LOOKED_AT });
  const isPast = (kind: EventKind): boolean =>
    ENDINGS.includes(kind) || (kind === 'source_lost' && report?.runId === run.runId && report.source.state === 'up');
  return rows.find(({ severity, kind }) => OBSTACLES.includes(severity) && !isPast(kind))?.message;
}
