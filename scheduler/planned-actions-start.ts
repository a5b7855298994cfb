/** Decides whether a planned action waits for a start that is under way or due. */
import type { LivestreamStatus } from '../domain/shapes/broadcasts/livestream.ts';
import type { TimedAction } from '../domain/shapes/schedules/planned-action.ts';
import { openFirings } from '../domain/rules/schedules/schedule-firings.ts';
import type { View } from '../domain/ports/store.ts';
import { pendingOf } from './schedules-pending.ts';

/** A start has failed after this time. */
const START_MS = 30_000;
/** The cloud platform may have to make room first. */
const CLOUD_START_MS = 300_000;

export interface Awaited {
  /** The action waits while the run has this status. */
  status: LivestreamStatus;
  /** Bound of the wait, counted from when the action was seen to be due. */
  boundMs: number;
}

/** undefined when it is carried out now; its operation then names any obstacle. */
export function awaitedOf(view: View, action: TimedAction, nowMs: number): Awaited | undefined {
  const run = view.get('runs', action.livestreamId);
  const status = run?.status ?? 0;
  const boundMs = run?.cloudAccountId == null ? START_MS : CLOUD_START_MS;
  const isEnding = run?.desired === 'off' && (status === 1 || status === 2);
  const isAwaited = action.type === 'start' ? isEnding : action.type !== 'stop' && isStarting(view, action, nowMs);
  return isAwaited ? { status, boundMs } : undefined;
}

/** Why the Live stream is not on air, where somebody has tried to start it. */
export function startFailure(view: View, livestreamId: number): string | undefined {
  const run = view.get('runs', livestreamId);
  if (run?.status === 3) return run.errorstatus ?? undefined;
  return openFirings(view, { livestreamId }).flatMap(({ reasons }) => reasons.slice(-1))[0];
}

function isStarting(view: View, action: TimedAction, nowMs: number): boolean {
  const run = view.get('runs', action.livestreamId);
  if (run?.desired === 'on' && (run.status === 1 || run.status === 2)) return run.status === 1;
  return isStartDue(view, action, nowMs);
}

/**
 * True when a Schedule begins its occurrence or tries again to, or an earlier action starts it: at the same instant their order is not
 * known.
 */
function isStartDue(view: View, { livestreamId, execute_at }: TimedAction, nowMs: number): boolean {
  if (openFirings(view, { livestreamId }).some(({ retry_at }) => retry_at !== null)) return true;
  const earlier = { livestreamId, type: 'start', status: 'pending', execute_at: { lt: execute_at } };
  if (view.find('plannedActions', { where: earlier, limit: 1 }).total > 0) return true;
  const { rows } = view.find('schedules', { where: { livestreamId, enabled: true } });
  return rows.some((schedule) => {
    for (const { startMs, endMs } of pendingOf(view, schedule, nowMs)) {
      if (startMs > nowMs) return false;
      if (endMs > nowMs) return true;
    }
    return false;
  });
}
