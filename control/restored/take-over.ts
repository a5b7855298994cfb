/** The runs of a store that went back are brought in line with what a Device has: it is on air as it is, and nothing is begun or ended. */
import { STATUS, type Livestream, type LivestreamStatus } from '../../domain/shapes/broadcasts/livestream.ts';
import { addEvent } from '../../domain/rules/rows/event-log.ts';
import { endedRun } from '../../domain/rules/broadcasts/run-failure.ts';
import { closeFiring, openFirings } from '../../domain/rules/schedules/schedule-firings.ts';
import type { Run, RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { Restored } from '../../domain/shapes/installation/store-era.ts';
import type { Tx } from '../../domain/ports/store.ts';
import { placeName, runsAt } from '../locations.ts';
import { addMissing, type RunOrder } from './run-order.ts';

export interface Brought {
  place: number;
  reports: readonly RunReport[];
  /** Orders that the place has kept, by run. */
  orders: ReadonlyMap<string, RunOrder>;
  restored: Restored;
  now: string;
}

const LIVE: Partial<Record<RunReport['phase'], LivestreamStatus>> = {
  starting: STATUS.starting,
  running: STATUS.running,
};

/** Answers the runs that have no row: another run of their Live stream has it, or nothing is known of that. */
export function takeOverRuns(tx: Tx, brought: Brought): string[] {
  const { place, reports, restored } = brought;
  const left: string[] = [];
  // A person has done without them, and may have begun others in their place.
  const givenUp = new Set(tx.get('deviceLinks', place)?.given_up?.map(({ runId }) => runId));
  for (const report of reports.filter(({ runId }) => !givenUp.has(runId))) {
    const present = tx.get('runs', report.livestreamId);
    if (present?.runId === report.runId) goOn(tx, brought, present, report);
    else if (LIVE[report.phase] !== undefined && !takeOver(tx, brought, present, report)) left.push(report.runId);
    else if (report.phase === 'failed')
      tell(tx, brought, report, 'warning', `has failed since then: ${report.error ?? 'without a reason'}`);
  }
  const runIds = new Set(reports.map(({ runId }) => runId));
  const where = { ...runsAt(place), status: { in: [STATUS.starting, STATUS.running] } };
  for (const run of tx.find('runs', { where }).rows)
    if (!runIds.has(run.runId) && !isNewer(run, restored)) end(tx, brought, run);
  return left;
}

/** A person has ordered it after the restore was noticed. */
function isNewer({ started_at }: Readonly<Run>, { noticed_at }: Restored): boolean {
  return started_at !== null && started_at > noticed_at;
}

/** The store knows the run. It is on air whatever the store wanted of it when it was copied. */
function goOn(tx: Tx, brought: Brought, run: Readonly<Run>, report: RunReport): void {
  const { place, orders, restored, now } = brought;
  const status = LIVE[report.phase];
  const isStopped =
    run.desired === 'off' &&
    (run.status === STATUS.stopped ? run.since > restored.noticed_at : !restored.stopping.includes(run.id));
  const isAsOrdered = run.desired === 'on' && (run.status === STATUS.starting || run.status === STATUS.running);
  if (status === undefined || isStopped || isNewer(run, restored)) return;
  if (isAsOrdered) {
    // Its bound counts from now: what it has reported since is lost.
    if (run.status === STATUS.starting) tx.put('runs', asReported(run, report, status, now));
    return;
  }
  const { slot, cost } = orders.get(run.runId)?.run ?? run;
  const places = place < 0 ? { cloudAccountId: -place } : { deviceId: place, slot, cost };
  tx.put('runs', { ...asReported(run, report, status, now), ...places, desired: 'on', errorstatus: null });
  tell(tx, brought, report, 'warning', 'is on air, though the restored store has it ended. It goes on');
}

/** The store does not know the run. Of two of one Live stream the later has the row. */
function takeOver(tx: Tx, brought: Brought, present: Readonly<Run> | undefined, report: RunReport): boolean {
  const { place, orders, restored, now } = brought;
  const order = orders.get(report.runId);
  const wasMade = order?.rows.some(([collection, { id, created_at }]) => {
    const row = collection === 'livestreams' ? tx.get(collection, id) : undefined;
    return row !== undefined && row.created_at !== created_at;
  });
  const other = present?.status === STATUS.starting || present?.status === STATUS.running ? present : undefined;
  const startedAt = order?.run.started_at ?? report.on_air_at ?? '';
  const isLater = other === undefined || (startedAt > (other.started_at ?? '') && !isNewer(other, restored));
  if (order !== undefined && wasMade !== true && isLater) addMissing(tx, order, place);
  const livestream = tx.get('livestreams', report.livestreamId);
  if (livestream === undefined || wasMade === true || !isLater) {
    const why = livestream === undefined ? 'the store has no such Live stream' : 'it is not the one that the store has';
    const until = restored.acknowledged_at === null ? 'is left alone until acknowledgeRestore ends it' : 'is ended';
    tell(tx, brought, report, 'error', `is on air and ${until}: ${why}`);
    return false;
  }
  const run: Run = {
    ...asReported(alone(tx, order?.run ?? runOf(livestream, report)), report, LIVE[report.phase]!, now),
    ...(place < 0 ? { deviceId: null, cloudAccountId: -place } : { deviceId: place, cloudAccountId: null }),
    desired: 'on',
    errorstatus: null,
    lastEventSeq: 0,
  };
  if (present === undefined) tx.insert('runs', run);
  else tx.put('runs', run);
  if (other !== undefined) closeRun(tx, other);
  tell(tx, brought, report, 'warning', 'was started since then. It goes on as it is');
  return true;
}

/** One that starts, and that viewers have had, has no bound. */
function asReported({ again, ...run }: Readonly<Run>, report: RunReport, status: LivestreamStatus, now: string): Run {
  const isAgain = status === STATUS.starting && (again !== undefined || report.on_air_at !== null);
  return { ...run, status, since: now, ...(isAgain && { again: { failed: 0, at: now } }) };
}

/** A run follows its group on air: where the restored one has other Destinations, that would end some of them. */
function alone(tx: Tx, run: Readonly<Run>): Run {
  const { boundGroup, ...rest } = run;
  const elements = (boundGroup !== undefined && tx.get('publishingGroups', boundGroup)?.elements) || [];
  const isSame =
    elements.length === run.boundPublishings.length && elements.every((id) => run.boundPublishings.includes(id));
  return isSame ? run : rest;
}

/** The run of a Device that has kept no order: an agent or a runner of an earlier version, or the cloud platform. */
function runOf({ id, publishingGroupId, channelId }: Readonly<Livestream>, report: RunReport): Run {
  const { runId, on_air_at, encodings } = report;
  const publishingIds = [...new Set(report.publishings.map(({ publishingId }) => publishingId))].filter(
    (one) => one > 0,
  );
  const startConfig = publishingIds.map((publishingId) => ({ publishingId, primary: true, backup: false }));
  return {
    id,
    desired: 'on',
    status: STATUS.running,
    errorstatus: null,
    since: on_air_at ?? '',
    started_at: on_air_at,
    runId,
    deviceId: null,
    slot: null,
    cost: report.cpu_cores ?? 0,
    startConfig,
    startedWith: startConfig,
    boundPublishings: publishingIds,
    ...(publishingGroupId !== null && { boundGroup: publishingGroupId }),
    boundEncodings: encodings.map(({ encodingId }) => encodingId),
    boundChannels: [channelId],
    scheduleId: null,
    requested_by: '',
    lastEventSeq: 0,
  };
}

/** The Device has ended the run, or never had it: whatever the order was, a person decides anew. */
function end(tx: Tx, brought: Brought, run: Readonly<Run>): void {
  tx.put('runs', { ...endedRun(run, brought.now), desired: 'off' });
  closeRun(tx, run);
  const report = { runId: run.runId, livestreamId: run.id };
  tell(
    tx,
    brought,
    report,
    'warning',
    'has ended since then, though the restored store has it on air. It is not begun anew',
  );
}

/** Nothing starts the run's occurrence again. */
function closeRun(tx: Tx, { id, runId }: Readonly<Run>): void {
  for (const firing of openFirings(tx, { livestreamId: id })) if (firing.runId === runId) closeFiring(tx, firing);
}

function tell(
  tx: Tx,
  { place, now }: Brought,
  { runId, livestreamId }: Pick<RunReport, 'runId' | 'livestreamId'>,
  severity: 'warning' | 'error',
  what: string,
): void {
  const livestream = tx.get('livestreams', livestreamId);
  const name = livestream === undefined ? `A run of Live stream ${livestreamId}` : `"${livestream.name}"`;
  const id = livestream === undefined ? null : livestreamId;
  addEvent(tx, now, id, {
    kind: 'store_restored',
    severity,
    message: `${name} on ${placeName(tx, place)} ${what}.`,
    data: {
      runId,
      livestreamId,
    },
  });
}
