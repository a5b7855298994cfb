/** Changes of a run's rows: its status moves, each in one commit, and its Device's events are stored. */
import { toIso, type Clock } from '../domain/time/clock.ts';
import type { EventKind } from '../domain/shapes/installation/event.ts';
import { isTransition, type LivestreamStatus } from '../domain/shapes/broadcasts/livestream.ts';
import { noteEndsThere } from '../domain/rules/devices/device-presence.ts';
import { addEvent } from '../domain/rules/rows/event-log.ts';
import { endLoss } from '../domain/rules/broadcasts/run-loss.ts';
import { noteEnd, UNPLACED } from '../domain/rules/broadcasts/run-failure.ts';
import { destinationOf } from '../domain/shapes/media/recording.ts';
import { followRun } from '../domain/rules/schedules/schedule-firings.ts';
import type { Run, RunEvent, RunReport } from '../domain/shapes/broadcasts/run.ts';
import type { Store, Tx } from '../domain/ports/store.ts';
import type { DeviceEntry } from './device-commits.ts';
import { isElsewhere } from './locations.ts';
import { noteRecordingEvent } from './recordings/recording-rows.ts';

/** Control logs these kinds itself when it moves the status; a runner's event of the same kind is not logged twice. */
const OWN_KINDS: readonly EventKind[] = ['start_requested', 'started', 'start_failed', 'stop_requested', 'stopped'];

export interface MoveDeps {
  store: Store;
  clock: Clock;
}

interface Move {
  kind: EventKind;
  message: string;
}

/** Whether a step follows from the report; most say that a run still starts, or is still on air. */
export function mayMove({ desired, status, again }: Readonly<Run>, { phase }: RunReport): boolean {
  if (desired === 'off' || status === 0 || status === 3) return true;
  return phase === 'running' ? status === 1 || again !== undefined : phase !== 'starting';
}

/** Changes nothing when the row belongs to another run by now, or when the transition does not exist. */
export async function moveRun(
  deps: MoveDeps,
  run: Run,
  status: LivestreamStatus,
  errorstatus: string | null,
  { kind, message }: Move,
): Promise<void> {
  const now = toIso(deps.clock.now());
  await deps.store.tx((tx: Tx) => {
    const present = tx.get('runs', run.id);
    if (
      present === undefined ||
      present.runId !== run.runId ||
      present.status === status ||
      !isTransition(present.status, status)
    )
      return;
    if (status !== 0 && present.desired === 'off') return;
    const isOver = status === 0 || status === 3;
    const ended = status === 0 ? { ...UNPLACED, started_at: null, scheduleId: null } : {};
    const unmoved = isOver && present.move != null ? { move: null, otherDeviceId: null } : {};
    const { again, ...row } = status === 2 ? endLoss(tx, present, now) : present;
    tx.put('runs', { ...row, ...unmoved, ...ended, status, errorstatus, since: now });
    followRun(tx, present, status, now);
    // It was on air before.
    if (status === 2 && again !== undefined) return;
    addEvent(tx, now, run.id, { kind, severity: status === 3 ? 'error' : 'info', message, data: { runId: run.runId } });
  });
}

/**
 * Notes that nothing of a failed run is left at its place; with `place`, nor of one that was given up there, and only where the run has no other
 * place.
 */
export async function endRun(
  deps: MoveDeps,
  { runId, livestreamId }: Pick<RunReport, 'runId' | 'livestreamId'>,
  place?: number,
): Promise<void> {
  await deps.store.tx((tx) => {
    const run = tx.get('runs', livestreamId);
    if (run !== undefined && (place === undefined || !isElsewhere(run, place))) noteEnd(tx, runId, livestreamId);
  });
  if (place !== undefined) await noteEnds(deps, place, (ended) => ended === runId);
}

/** Notes of the runs at the place that were given up and are over by now that nothing is left of them. */
export async function noteEnds(
  { store, clock }: MoveDeps,
  place: number,
  isOver: (runId: string) => boolean,
): Promise<void> {
  const givenUp = (await store.get('deviceLinks', place))?.row.given_up;
  if (givenUp?.some(({ runId }) => isOver(runId)) !== true) return;
  await store.tx((tx) => noteEndsThere(tx, place, isOver, toIso(clock.now())));
}

/** A recording that was begun on air has no Destination for callers. */
function withDestination(data: RunEvent['data']): RunEvent['data'] {
  const { publishingId } = data;
  return typeof publishingId === 'number' ? { ...data, publishingId: destinationOf({ publishingId }) } : data;
}

/** Admission reads whether a run falls behind, in the view of its commit. */
function afterEvent(run: Readonly<Run>, { kind, at }: RunEvent): Run {
  if (kind === 'behind') return { ...run, behind: at };
  const { behind: _behind, ...rest } = run;
  return kind === 'behind_ended' ? rest : run;
}

export function eventEntry(place: number, event: RunEvent, timezone?: string): DeviceEntry {
  const { livestreamId, runId, seq } = event;
  return { key: `${livestreamId} ${runId} ${seq}`, plan: (tx) => storeRunEvent(tx, place, event, timezone) };
}

/** An event is stored once, because `lastEventSeq` moves in the same commit. */
function storeRunEvent(tx: Tx, place: number, event: RunEvent, timezone?: string): void {
  const { livestreamId, kind, severity, message } = event;
  const run = tx.get('runs', livestreamId);
  const isNew = run?.runId === event.runId && event.seq > run.lastEventSeq;
  if (!isNew || isElsewhere(run, place)) return;
  tx.put('runs', { ...afterEvent(run, event), lastEventSeq: event.seq });
  noteRecordingEvent(tx, run, event, timezone);
  if (OWN_KINDS.includes(kind)) return;
  addEvent(tx, event.at, livestreamId, { kind, severity, message, data: withDestination(event.data) });
}
