/** The page Scheduler: when Live streams go on air by themselves. */
import { useEffect } from 'preact/hooks';
import { can } from '../../api/can.ts';
import { useGlobalKeys } from '../../ui/registry/keys.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { Empty } from '../../ui/show/empty.tsx';
import { Outline } from '../../ui/show/outline.tsx';
import { Bar } from './bar.tsx';
import { closeRegion, OccurrenceRegion } from './chosen/occurrence-region.tsx';
import { usePlan, type OccurrenceRow, type Plan, type ScheduleRow } from './data/occurrences.ts';
import { chosen, firstDay, loaded, open, search, stateFilter, view } from './data/state.ts';
import { OpenDialog } from './form/open-dialog.tsx';
import { Lines } from './lines/lines.tsx';
import { OccurrenceTable } from './list/occurrence-table.tsx';
import { PausedSchedules } from './list/paused-schedules.tsx';
import { words } from './words.ts';

const DAY_MS = 86_400_000;

function matching({ occurrences }: Plan): readonly OccurrenceRow[] {
  const text = search.value.trim().toLowerCase();
  return occurrences.filter(
    ({ name, stream, state }) =>
      `${name} ${stream}`.toLowerCase().includes(text) && (stateFilter.value === '' || state === stateFilter.value),
  );
}

export default function Scheduler() {
  const w = words.value;
  const plan = usePlan(loaded.value);
  const isThere = !plan.isLoading;
  useEffect(() => {
    if (isThere) performance.mark('useful');
  }, [isThere]);
  const add = (): void => {
    if (can('addSchedule') && open.peek() === undefined) open.value = { kind: 'add' };
  };
  useGlobalKeys(w.title, { N: { does: w.add, act: add } });
  return (
    <>
      <h1>{w.title}</h1>
      <Bar />
      <ProblemAlert problem={plan.error} />
      {!isThere && plan.occurrences.length === 0 ? <Outline rows={8} /> : <Shown plan={plan} rows={matching(plan)} />}
      {chosen.value !== undefined && <OccurrenceRegion at={chosen.value} plan={plan} onClose={closeRegion} />}
      <OpenDialog plan={plan} onSaved={showSaved} />
    </>
  );
}

/** A new Schedule is chosen by its first occurrence, wherever that is. */
function showSaved({ id }: ScheduleRow): void {
  if (chosen.peek()?.scheduleId !== id) chosen.value = { scheduleId: id };
}

function Shown({ plan, rows }: { plan: Plan; rows: readonly OccurrenceRow[] }) {
  const w = words.value;
  const paused = [...plan.schedules.values()].filter(({ enabled }) => !enabled);
  const from = firstDay.value - DAY_MS;
  const listed = rows.filter(({ endMs }) => endMs > from);
  return (
    <>
      {view.value === 'list' &&
        (listed.length === 0 ? (
          <Empty text={plan.occurrences.length === 0 ? w.empty : w.noMatch} />
        ) : (
          <OccurrenceTable rows={listed} />
        ))}
      {view.value !== 'list' && <Lines key={view.value} plan={plan} rows={rows} isWeek={view.value === 'week'} />}
      <PausedSchedules rows={paused} />
    </>
  );
}
