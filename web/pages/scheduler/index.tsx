/** The page Scheduler: occurrences of all Schedules, and what can be done with the chosen one. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { can } from '../../api/can.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { useGlobalKeys } from '../../ui/registry/keys.ts';
import { Outline } from '../../ui/show/outline.tsx';
import { Bar } from './bar.tsx';
import { usePlan, type Occurrence, type Schedule } from './data.ts';
import { ListView } from './list-view.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { move } from './moves.ts';
import { OccurrenceRegion } from './occurrence.tsx';
import { PlanView } from './plan-view.tsx';
import { EditSchedule, ScheduleForm } from './schedule-form.tsx';
import type { Times } from './schedule-fields.tsx';
import { shownFrom, shownTo, view } from './window.ts';
import { words } from './words.ts';

type Open =
  | { kind: 'add' }
  | { kind: 'edit'; scheduleId: number; times?: Times }
  | { kind: 'move'; schedule: Schedule; occurrence: Occurrence; times: Times };

function matches({ name, stream, state }: Occurrence, filter: string): boolean {
  return `${name} ${stream} ${words.value.states[state]}`.toLowerCase().includes(filter.trim().toLowerCase());
}

/** The Schedule's own times after its occurrence has moved. */
function timesOfSeries(schedule: Schedule, occurrence: Occurrence, times: Times): Times {
  const by = times.start - occurrence.start;
  const start = Date.parse(schedule.start) + by;
  return { start, end: start + (times.end - times.start) };
}

export default function Scheduler() {
  const plan = usePlan(shownFrom.value, shownTo.value);
  const filter = useSignal('');
  const chosen = useSignal<string | undefined>(undefined);
  const open = useSignal<Open | undefined>(undefined);
  const w = words.value;
  const shown = useMemo(
    () => plan.occurrences.filter((each) => matches(each, filter.value)),
    [plan.occurrences, filter.value, w],
  );
  useEffect(() => {
    if (plan.isThere) performance.mark('useful');
  }, [plan.isThere]);
  const add = (): void => {
    if (can('addSchedule')) open.value = { kind: 'add' };
  };
  useGlobalKeys(w.title, { N: { does: w.add, act: add } });
  const takeMove = (occurrence: Occurrence, times: Times): void => {
    move.value = undefined;
    const schedule = plan.schedules.get(occurrence.scheduleId);
    if (schedule === undefined) return;
    open.value =
      schedule.recurrence.type === 'none'
        ? { kind: 'edit', scheduleId: schedule.id, times: timesOfSeries(schedule, occurrence, times) }
        : { kind: 'move', schedule, occurrence, times };
  };
  const choose = (id: string): void => {
    chosen.value = id;
  };
  return (
    <>
      <h1>{w.title}</h1>
      <Bar filter={filter.value} onFilter={(text) => (filter.value = text)}>
        {can('addSchedule') && (
          <Button kind="main" icon="plus" keyHint="N" onPress={add}>
            {w.add}
          </Button>
        )}
      </Bar>
      <ProblemAlert problem={plan.error} />
      {!plan.isThere && <Outline rows={6} />}
      {plan.isThere &&
        (view.value === 'list' ? (
          <ListView rows={shown} chosen={chosen.value} onChoose={choose} />
        ) : (
          <PlanView {...{ plan }} occurrences={shown} chosen={chosen.value} onChoose={choose} onMoved={takeMove} />
        ))}
      <OccurrenceRegion
        occurrence={plan.occurrences.find(({ id }) => id === chosen.value)}
        onEdit={({ id }) => (open.value = { kind: 'edit', scheduleId: id })}
      />
      <OpenDialog open={open.value} streams={plan.streams} onOpen={(next) => (open.value = next)} />
    </>
  );
}

interface OpenDialogProps {
  open: Open | undefined;
  streams: ReadonlyMap<number, string>;
  onOpen: (next: Open | undefined) => void;
}

function OpenDialog({ open, streams, onOpen }: OpenDialogProps) {
  const close = (): void => onOpen(undefined);
  if (open === undefined) return null;
  if (open.kind === 'add') return <ScheduleForm {...{ streams }} onClose={close} />;
  if (open.kind === 'edit') {
    const { scheduleId, times } = open;
    return <EditSchedule key={scheduleId} {...{ streams, scheduleId, times }} onClose={close} />;
  }
  const { schedule, occurrence, times } = open;
  const moveSeries = (): void =>
    onOpen({ kind: 'edit', scheduleId: schedule.id, times: timesOfSeries(schedule, occurrence, times) });
  return <MoveDialog {...{ occurrence, schedule, times }} onSeries={moveSeries} onClose={close} />;
}
