/** Rundown and Week: the time line with its keys, what is moved in it, and how many are on at once. */
import { useMemo, useRef } from 'preact/hooks';
import { useAll } from '../../../api/all.ts';
import { can } from '../../../api/can.ts';
import { moment } from '../../../live/clock.ts';
import { shownZone } from '../../../shown-zone.ts';
import { useKeys } from '../../../ui/registry/keys.ts';
import { overlapping } from '../../../ui/timeline/layers.ts';
import { createMoving, type Draft } from '../../../ui/timeline/moving.ts';
import { Timeline } from '../../../ui/timeline/timeline.tsx';
import { dayStarts } from '../data/days.ts';
import type { OccurrenceRow, Plan } from '../data/occurrences.ts';
import { chosen, dayCount, firstDay, loaded, minute, open, search } from '../data/state.ts';
import { words } from '../words.ts';
import { CapacityRow } from './capacity-row.tsx';
import { walk } from './walk.ts';
import { dayText, rundownRows, weekRows, type ActionRow } from './rows.ts';

const MAX_IN_WEEK = 12;
const HOURS = [0, 3, 6, 9, 12, 15, 18, 21];

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
  const { from, to } = loaded.value;
  const actions = useAll('getAllPlannedActions', {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    status: 'pending',
  });
  const days = dayStarts(firstDay.value, zone, isWeek ? 7 : Number(dayCount.value));
  const text = search.value.trim().toLowerCase();
  const found = plan.streams.filter(
    ({ id, name }) => text === '' || name.toLowerCase().includes(text) || rows.some((row) => row.livestreamId === id),
  );
  const streams = isWeek ? found.slice(0, MAX_IN_WEEK) : found;
  const ids = new Set(streams.map(({ id }) => id));
  const occurrences = rows.filter(({ livestreamId }) => ids.has(livestreamId));
  const shown = {
    occurrences,
    actions: (actions.rows as readonly ActionRow[]).filter((row) => ids.has(row.livestreamId)),
    zone,
  };
  const timeRows = isWeek ? weekRows(shown, days) : rundownRows(shown, streams, days);
  const moving = useMemo(
    () =>
      createMoving(
        (draft) => commit(draft, latest.current),
        (draft) => warningOf(draft, latest.current),
      ),
    [],
  );
  const draftOf = (target: EventTarget | null): Draft | undefined => {
    const key = target instanceof HTMLElement ? target.dataset['bar'] : undefined;
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
  const head = isWeek
    ? HOURS.map((hour) => ({ label: `${String(hour).padStart(2, '0')}:00`, share: hour / 24 }))
    : days
        .slice(0, -1)
        .map((day) => ({ label: dayText(day, zone), share: (day - days[0]!) / (days.at(-1)! - days[0]!) }));
  return (
    <div ref={box} onKeyDown={hear}>
      {isWeek && found.length > MAX_IN_WEEK && <p class="soft">{w.tooMany(MAX_IN_WEEK)}</p>}
      <Timeline
        label={w.timeline}
        rows={timeRows}
        head={head}
        now={minute.value}
        chosen={chosen.value?.occurrence?.key}
        onChoose={(key) => choose(key, latest.current)}
        moving={can('updateSchedule') ? moving : undefined}
        foot={<CapacityRow rows={isWeek ? [] : rows} fromMs={days[0]!} toMs={days.at(-1)!} />}
      />
    </div>
  );
}

function choose(key: string, { occurrences }: Plan): void {
  const occurrence = occurrences.find((row) => row.key === key);
  if (occurrence !== undefined) chosen.value = { scheduleId: occurrence.scheduleId, occurrence };
}

function commit({ key, rowId, startMs, endMs }: Draft, { occurrences, streams }: Plan): void {
  const times = { start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() };
  const occurrence = occurrences.find((row) => row.key === key);
  if (occurrence?.isOneOf === true) open.value = { kind: 'move', occurrence, times };
  else if (occurrence !== undefined) open.value = { kind: 'edit', scheduleId: occurrence.scheduleId, times };
  else if (can('addSchedule')) {
    const isStream = streams.some(({ id }) => id === rowId);
    open.value = { kind: 'add', seed: { ...times, ...(isStream && { livestreamId: rowId }) } };
  }
}

/** Of the loaded weeks; the server has the last word. */
function warningOf({ key, rowId, ...span }: Draft, { occurrences }: Plan): string | undefined {
  const own = occurrences.find((row) => row.key === key);
  const livestreamId = own?.livestreamId ?? rowId;
  const others = occurrences.filter(
    (row) => row.livestreamId === livestreamId && row.key !== key && /planned|on_air/u.test(row.state),
  );
  const [other] = overlapping(span, others);
  return other === undefined ? undefined : words.value.overlaps(other.name);
}

/** The cursor is the occurrence in focus: a new one begins where it ends. */
function addAt(target: EventTarget | null, { occurrences }: Plan): void {
  if (!can('addSchedule')) return;
  const key = target instanceof HTMLElement ? target.dataset['bar'] : undefined;
  const row = occurrences.find((each) => each.key === key);
  const isAhead = row !== undefined && row.endMs > moment.peek();
  const end = row === undefined ? '' : new Date(row.endMs + row.endMs - row.startMs).toISOString();
  const seed = row === undefined ? {} : { livestreamId: row.livestreamId, ...(isAhead && { start: row.end, end }) };
  open.value = { kind: 'add', seed };
}
