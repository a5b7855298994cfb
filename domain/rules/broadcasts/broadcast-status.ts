/** The status of one Live stream with where it is watched now, and when it is on air next. */
import { z } from 'zod/v3';
import type { Control } from '../../ports/control.ts';
import type { Livestream } from '../../shapes/broadcasts/livestream.ts';
import { livestreamStatusOutput, watchField } from '../../shapes/broadcasts/livestream-status.ts';
import { isTimed } from '../../shapes/schedules/planned-action.ts';
import { nextOccurrence } from '../../time/recurrence.ts';
import { toIso } from '../../time/clock.ts';
import { instantField } from '../../base/schema.ts';
import type { View } from '../../ports/store.ts';
import { plannedOf } from '../schedules/schedule-rules.ts';

const nextField = z
  .object({
    start: instantField,
    end: instantField.nullable().describe('null: it is started by a planned action, and ends by hand.'),
    scheduleId: z.number().int().nullable().describe('Schedule that starts it; null: a planned action does.'),
    actionId: z.number().int().nullable().describe('Planned action that starts it; null: a Schedule does.'),
  })
  .strict()
  .nullable()
  .describe('When a Schedule or a planned action starts it next; null: nothing is planned.');
export type NextStart = z.infer<typeof nextField>;

export const broadcastStatusOutput = livestreamStatusOutput
  .extend({ watch: watchField, next: nextField })
  .strict()
  .describe('Runtime status of one Live stream, where it is watched, and when it is on air next.');
export type BroadcastStatus = z.infer<typeof broadcastStatusOutput>;

export function broadcastStatus(
  view: View,
  control: Pick<Control, 'status' | 'watchAddresses'>,
  { id, name }: Pick<Livestream, 'id' | 'name'>,
  now: string,
): BroadcastStatus {
  const status = control.status({ id, name }, view.get('runs', id));
  return { ...status, watch: control.watchAddresses(id), next: nextStart(view, id, now) };
}

/** An occurrence that has begun is not the next one, whether it is on air or not. */
function nextStart(view: View, livestreamId: number, now: string): NextStart {
  const starts = [...scheduledStarts(view, livestreamId, now), ...plannedStarts(view, livestreamId, now)];
  return starts.reduce<NextStart>((first, each) => (first === null || each.start < first.start ? each : first), null);
}

function scheduledStarts(view: View, livestreamId: number, now: string): NonNullable<NextStart>[] {
  return view.find('schedules', { where: { livestreamId, enabled: true } }).rows.flatMap((schedule) => {
    const { series, without } = plannedOf(view, schedule, now);
    let next = nextOccurrence(series, Date.parse(now));
    while (next !== undefined && without.has(next.startMs)) next = nextOccurrence(series, next.startMs + 1);
    if (next === undefined) return [];
    return [{ start: toIso(next.startMs), end: toIso(next.endMs), scheduleId: schedule.id, actionId: null }];
  });
}

function plannedStarts(view: View, livestreamId: number, now: string): NonNullable<NextStart>[] {
  const where = { livestreamId, type: 'start', status: 'pending', execute_at: { gte: now } };
  const { rows } = view.find('plannedActions', { where, sort: { field: 'execute_at', descending: false }, limit: 1 });
  return rows
    .filter(isTimed)
    .map(({ id, execute_at }) => ({ start: execute_at, end: null, scheduleId: null, actionId: id }));
}
