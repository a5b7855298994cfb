/** Changes of a run's rows: its status moves and its Device's events are stored, each in one commit. */
import { toIso, type Clock } from '../domain/clock.ts';
import type { AssetFiles } from '../domain/control.ts';
import type { EventKind } from '../domain/event.ts';
import { isTransition, type LivestreamStatus } from '../domain/livestream.ts';
import { addEvent } from '../domain/resources/event-log.ts';
import { isEndedFailure, noteEnd, UNPLACED } from '../domain/resources/run-failure.ts';
import { followRun } from '../domain/resources/schedule-firings.ts';
import { takeBackSetUp, withWholeSetUp } from '../domain/resources/set-up.ts';
import type { Log } from '../domain/log.ts';
import type { Run, RunEvent, RunReport } from '../domain/run.ts';
import type { Store, Tx } from '../domain/store.ts';
import type { KnownDevice } from './device-registry.ts';
import { isElsewhere } from './locations.ts';
import { noteRecordingEvent } from './recordings/recording-rows.ts';

/** Control logs these kinds itself when it moves the status; a runner's event of the same kind is not logged twice. */
const OWN_KINDS: readonly EventKind[] = ['start_requested', 'started', 'start_failed', 'stop_requested', 'stopped'];

export interface MoveParts {
  store: Store;
  files: Pick<AssetFiles, 'remove'>;
  clock: Clock;
  log: Log;
}

/** Changes nothing when the row belongs to another run by now, or when the transition does not exist. */
export async function moveRun(
  parts: MoveParts,
  run: Run,
  status: LivestreamStatus,
  errorstatus: string | null,
  kind: EventKind,
  message: string,
): Promise<void> {
  const now = toIso(parts.clock.now());
  const leftFile = await parts.store.tx((tx: Tx) => {
    const present = tx.get('runs', run.id);
    if (
      present === undefined ||
      present.runId !== run.runId ||
      present.status === status ||
      !isTransition(present.status, status)
    )
      return undefined;
    if (status !== 0 && present.desired === 'off') return undefined;
    const ended = status === 0 ? { ...UNPLACED, started_at: null, scheduleId: null } : {};
    const whole = status === 2 ? withWholeSetUp(present) : {};
    tx.put('runs', { ...present, ...ended, ...whole, status, errorstatus, since: now });
    followRun(tx, present, status, now);
    addEvent(tx, now, run.id, kind, status === 3 ? 'error' : 'info', message, { runId: run.runId });
    // A set-up that is stopped before it has come on air is taken back like one that fails.
    return status === 0 ? takeBackSetUp(tx, now, run.id) : undefined;
  });
  await removeFile(parts, leftFile);
}

/** Notes that nothing of a failed run is left at its place. A set-up that it was to put on air goes with it. */
export async function endRun(
  parts: MoveParts,
  { runId, livestreamId }: Pick<RunReport, 'runId' | 'livestreamId'>,
): Promise<void> {
  const leftFile = await parts.store.tx((tx) => {
    noteEnd(tx, runId, livestreamId);
    const run = tx.get('runs', livestreamId);
    if (run?.runId !== runId || !isEndedFailure(run)) return undefined;
    return takeBackSetUp(tx, toIso(parts.clock.now()), livestreamId);
  });
  await removeFile(parts, leftFile);
}

/** The row goes first: a crash in between leaves a file that nothing names, never a name without its file. */
async function removeFile({ files, log }: MoveParts, filename: string | undefined): Promise<void> {
  if (filename === undefined) return;
  await files.remove('files', filename).catch((cause: unknown) => {
    log.error({ err: cause, filename }, 'the file of a set-up that was taken back was left behind');
  });
}

/** An event is stored once, because `lastEventSeq` moves in the same commit. */
export async function storeRunEvent(store: Store, device: KnownDevice, event: RunEvent): Promise<void> {
  await store.tx((tx) => {
    const run = tx.get('runs', event.livestreamId);
    const isNew = run?.runId === event.runId && event.seq > run.lastEventSeq;
    if (!isNew || isElsewhere(run, device.id)) return;
    tx.put('runs', { ...run, lastEventSeq: event.seq });
    noteRecordingEvent(tx, run, event);
    if (OWN_KINDS.includes(event.kind)) return;
    addEvent(tx, event.at, event.livestreamId, event.kind, event.severity, event.message, event.data);
  });
}
