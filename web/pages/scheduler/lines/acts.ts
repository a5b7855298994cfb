/** Opens from the time line: an occurrence, an action, or a dialog with the times that were chosen. */
import { can } from '../../../api/can.ts';
import { moment } from '../../../live/clock.ts';
import { overlapping } from '../../../ui/timeline/layers.ts';
import type { Draft } from '../../../ui/timeline/moving.ts';
import type { Plan } from '../data/occurrences.ts';
import { chosen, open } from '../data/state.ts';
import { words } from '../words.ts';
import { markKey, type ActionRow } from './rows.ts';

export function choose(key: string, { occurrences }: Plan): void {
  const occurrence = occurrences.find((row) => row.key === key);
  if (occurrence !== undefined) chosen.value = { scheduleId: occurrence.scheduleId, occurrence };
}

/** The dialog opens with the new times: nothing is saved by moving. */
export function commit({ key, rowId, startMs, endMs, isMark }: Draft, plan: Plan, actions: readonly ActionRow[]): void {
  if (isMark === true) {
    const action = actions.find((row) => markKey(row) === key);
    if (action !== undefined) openAction(action, plan, new Date(startMs).toISOString());
    return;
  }
  const { occurrences, streams } = plan;
  const times = { start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() };
  const occurrence = occurrences.find((row) => row.key === key);
  if (occurrence?.isOneOf === true) open.value = { kind: 'move', occurrence, times };
  else if (occurrence !== undefined) open.value = { kind: 'edit', scheduleId: occurrence.scheduleId, times };
  else if (can('addSchedule')) {
    const isStream = streams.some(({ id }) => id === rowId);
    open.value = { kind: 'add', seed: { ...times, ...(isStream && { livestreamId: rowId }) } };
  }
}

export function openAction({ id, livestreamId, execute_at }: ActionRow, plan: Plan, at?: string): void {
  const moved = at === undefined ? undefined : { from: execute_at, to: at };
  open.value = { kind: 'action', actionId: id, stream: streamNameIn(plan, livestreamId), moved };
}

export function streamNameIn({ streams }: Plan, livestreamId: number): string {
  return streams.find(({ id }) => id === livestreamId)?.name ?? `#${livestreamId}`;
}

/** Of the loaded weeks; the server has the last word. */
export function warningOf({ key, rowId, ...span }: Draft, { occurrences }: Plan): string | undefined {
  const own = occurrences.find((row) => row.key === key);
  const livestreamId = own?.livestreamId ?? rowId;
  const others = occurrences.filter(
    (row) => row.livestreamId === livestreamId && row.key !== key && /planned|on_air/u.test(row.state),
  );
  const [other] = overlapping(span, others);
  return other === undefined ? undefined : words.value.overlaps(other.name);
}

/** The cursor is the occurrence in focus: a new one begins where it ends. */
export function addAt(target: EventTarget | null, { occurrences }: Plan): void {
  if (!can('addSchedule')) return;
  const key = target instanceof HTMLElement ? target.dataset['bar'] : undefined;
  const row = occurrences.find((each) => each.key === key);
  const isAhead = row !== undefined && row.endMs > moment.peek();
  const end = row === undefined ? '' : new Date(row.endMs + row.endMs - row.startMs).toISOString();
  const seed = row === undefined ? {} : { livestreamId: row.livestreamId, ...(isAhead && { start: row.end, end }) };
  open.value = { kind: 'add', seed };
}
