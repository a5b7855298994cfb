/** The times of an action that goes with a Schedule, over a window: past ones by their events, the others by the Schedule. */
import { toIso } from '../../domain/time/clock.ts';
import type { LivestreamEvent } from '../../domain/shapes/installation/event.ts';
import { runsToCome } from '../../domain/rules/schedules/relative-actions.ts';
import { MAX_RUNS, type ActionRun, type PlannedAction } from '../../domain/shapes/schedules/planned-action.ts';
import type { ToolContext } from '../tool.ts';

const WEEK_MS = 7 * 86_400_000;
/** A cue has its event up to 2.5 s before its time, and a stop that was late some time after it. */
const EARLY_MS = 10_000;
const LATE_MS = 86_400_000;

interface RunsWindow {
  nowMs: number;
  fromMs: number;
  toMs: number;
}

/** The window that was asked for; by default the next seven days. */
export function runsWindow(nowMs: number, from: string | undefined, to: string | undefined): RunsWindow {
  const fromMs = from === undefined ? nowMs : Date.parse(from);
  return { nowMs, fromMs, toMs: to === undefined ? Math.max(fromMs, nowMs) + WEEK_MS : Date.parse(to) };
}

/** `runs` by action, for those that go with a Schedule. */
export async function runsOf(
  { store }: Pick<ToolContext, 'store'>,
  actions: readonly Readonly<PlannedAction>[],
  window: RunsWindow,
): Promise<ReadonlyMap<number, ActionRun[]>> {
  const relative = actions.filter(({ scheduleId }) => scheduleId != null);
  if (relative.length === 0) return new Map();
  const past = await pastRuns({ store }, relative, window);
  return store.view(
    (view) =>
      new Map(
        relative.map((action) => {
          const done = past.get(action.id) ?? [];
          return [action.id, [...done, ...runsToCome(view, action, window)].slice(0, MAX_RUNS)];
        }),
      ),
  );
}

async function pastRuns(
  { store }: Pick<ToolContext, 'store'>,
  actions: readonly Readonly<PlannedAction>[],
  { nowMs, fromMs, toMs }: RunsWindow,
): Promise<ReadonlyMap<number, ActionRun[]>> {
  const runs = new Map<number, ActionRun[]>();
  if (fromMs >= nowMs) return runs;
  const livestreamIds = [...new Set(actions.map(({ livestreamId }) => livestreamId))];
  const where = {
    kind: { in: ['action_executed', 'action_failed'] },
    livestreamId: { in: livestreamIds },
    at: { gte: toIso(fromMs - EARLY_MS), lt: toIso(toMs + LATE_MS) },
  };
  const wanted = new Set(actions.map(({ id }) => id));
  const { rows } = await store.find('events', { where, sort: { field: 'at', descending: false } });
  for (const event of rows) {
    const run = runIn(event);
    if (run === undefined || !wanted.has(run.actionId)) continue;
    const atMs = Date.parse(run.run.execute_at);
    if (atMs < fromMs || atMs >= toMs) continue;
    runs.set(run.actionId, [...(runs.get(run.actionId) ?? []), run.run]);
  }
  return runs;
}

/** undefined for an action that was done once. */
function runIn({ kind, data }: Readonly<LivestreamEvent>): { actionId: number; run: ActionRun } | undefined {
  const { actionId, execute_at, occurrence_start, reason } = data as Record<string, unknown>;
  if (typeof actionId !== 'number' || typeof execute_at !== 'string' || typeof occurrence_start !== 'string')
    return undefined;
  const status = kind === 'action_executed' ? 'executed' : 'failed';
  return {
    actionId,
    run: { occurrence_start, execute_at, status, error: typeof reason === 'string' ? reason : null },
  };
}
