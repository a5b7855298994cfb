/** Rundown and Week: the time line with its keys, what is moved in it, and how many are on at once. */
import { useMemo, useRef } from 'preact/hooks';
import { useAll } from '../../../api/all.ts';
import { can } from '../../../api/can.ts';
import { shownZone } from '../../../shown-zone.ts';
import { timesOf, type PlannedRow } from '../../../resource/planned-action/times.ts';
import { useKeys } from '../../../ui/registry/keys.ts';
import { createMoving, type Draft } from '../../../ui/timeline/moving.ts';
import { Timeline } from '../../../ui/timeline/timeline.tsx';
import { dayStarts, hoursOf } from '../data/days.ts';
import type { OccurrenceRow, Plan } from '../data/occurrences.ts';
import { chosen, dayCount, firstDay, loaded, minute, search } from '../data/state.ts';
import { words } from '../words.ts';
import { addAt, choose, commit, openAction, streamNameIn, warningOf } from './acts.ts';
import { CapacityRows } from './capacity-rows.tsx';
import { inWeek, weekChoice } from './week-choice.ts';
import { WeekChoice } from './week-dialog.tsx';
import { walk } from './walk.ts';
import { dayText, rundownRows, weekRows, type ActionRow } from './rows.ts';

const HOURS = [0, 3, 6, 9, 12, 15, 18, 21];
/** Hours between those of the head, by the number of days: 24 px each at least. */
const TICK_HOURS: Readonly<Record<number, number>> = { 1: 1, 3: 3, 7: 6 };

interface LinesProps {
  plan: Plan;
  rows: readonly OccurrenceRow[];
  isWeek: boolean;
}

export function Lines({ plan, rows, isWeek }: LinesProps) {
  const w = words.value;
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(plan);
  latest.current = plan;
  const zone = shownZone.value;
  const actions = useActions();
  const days = dayStarts(firstDay.value, zone, isWeek ? 7 : Number(dayCount.value));
  const text = search.value.trim().toLowerCase();
  const found = plan.streams.filter(
    ({ id, name }) => text === '' || name.toLowerCase().includes(text) || rows.some((row) => row.livestreamId === id),
  );
  const streams = isWeek ? inWeek(found, weekChoice.value) : found;
  const ids = new Set(streams.map(({ id }) => id));
  const occurrences = rows.filter(({ livestreamId }) => ids.has(livestreamId));
  const shown = {
    occurrences,
    actions: actions.filter((row) => ids.has(row.livestreamId)),
    zone,
    onOpenAction: can('updatePlannedAction') ? (row: ActionRow) => openAction(row, latest.current) : undefined,
    streamName: (id: number) => streamNameIn(plan, id),
  };
  const timeRows = isWeek ? weekRows(shown, days) : rundownRows(shown, streams, days);
  const drawn = useRef({ actions: shown.actions, timeRows });
  drawn.current = { actions: shown.actions, timeRows };
  const moving = useMemo(
    () =>
      createMoving(
        (draft) => commit(draft, latest.current, drawn.current.actions),
        (draft) => warningOf(draft, latest.current),
      ),
    [],
  );
  const draftOf = (target: EventTarget | null): Draft | undefined => {
    const { bar: key, mark } = target instanceof HTMLElement ? target.dataset : {};
    const held = drawn.current.timeRows.flatMap(({ marks }) => marks).find((each) => each.key === mark);
    if (held?.onOpen !== undefined)
      return { key: held.key, rowId: held.rowId, startMs: held.atMs, endMs: held.atMs, isMark: true };
    const row = latest.current.occurrences.find((each) => each.key === key);
    if (row === undefined || row.state !== 'planned' || !can('updateSchedule')) return undefined;
    const dayOf = days.findLast((day) => day <= row.startMs) ?? 0;
    return { key: row.key, rowId: isWeek ? dayOf : row.livestreamId, startMs: row.startMs, endMs: row.endMs };
  };
  const step = (part: 'whole' | 'end', by: -1 | 1) => (event: KeyboardEvent) => {
    const draft = draftOf(event.target);
    if (draft !== undefined) moving.step(draft, part, by);
  };
  useKeys(box, w.rowKeys, {
    '[': { does: w.keys.move, act: step('whole', -1) },
    ']': { does: w.keys.move, act: step('whole', 1), isListed: false },
    '{': { does: w.keys.resize, act: step('end', -1) },
    '}': { does: w.keys.resize, act: step('end', 1), isListed: false },
    N: { does: w.keys.add, act: ({ target }) => addAt(target, latest.current) },
  });
  const hear = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && moving.draft.value !== undefined) moving.commit();
    else if (event.key === 'Escape' && moving.draft.value !== undefined) moving.back();
    else if (!walk(event, box.current)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={box} onKeyDown={hear}>
      {isWeek && <WeekChoice streams={found} />}
      <Timeline
        label={w.timeline}
        rows={timeRows}
        head={headOf(days, zone, isWeek)}
        ticks={isWeek ? [] : ticksOf(days, zone)}
        now={minute.value}
        chosen={chosen.value?.occurrence?.key}
        onChoose={(key) => choose(key, latest.current)}
        moving={can('updateSchedule') ? moving : undefined}
        foot={!isWeek && <CapacityRows plan={plan} fromMs={days[0]!} toMs={days.at(-1)!} />}
      />
    </div>
  );
}

/** Pending ones of the loaded weeks. */
function useActions(): readonly ActionRow[] {
  const [from, to] = [loaded.value.from, loaded.value.to].map((at) => new Date(at).toISOString());
  const { rows } = useAll('getAllPlannedActions', { from, to, status: 'pending' });
  return useMemo(() => timesOf(rows as readonly PlannedRow[]).filter(({ status }) => status === 'pending'), [rows]);
}

const twoDigits = (hour: number): string => String(hour).padStart(2, '0');

function ticksOf(days: readonly number[], zone: string): { label: string; share: number }[] {
  const [first, last] = [days[0]!, days.at(-1)!];
  return days
    .slice(0, -1)
    .flatMap((day) => hoursOf(day, zone, TICK_HOURS[days.length - 1] ?? 6))
    .map(({ hour, at }) => ({ label: twoDigits(hour), share: (at - first) / (last - first) }));
}

function headOf(days: readonly number[], zone: string, isWeek: boolean): { label: string; share: number }[] {
  if (isWeek) return HOURS.map((hour) => ({ label: `${twoDigits(hour)}:00`, share: hour / 24 }));
  const [first, last] = [days[0]!, days.at(-1)!];
  return days.slice(0, -1).map((day) => ({ label: dayText(day, zone), share: (day - first) / (last - first) }));
}
