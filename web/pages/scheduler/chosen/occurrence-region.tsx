/** The region Occurrence: what is chosen, and what can be done to it and to its series. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { can } from '../../../api/can.ts';
import { useOne } from '../../../api/reads.ts';
import { Button } from '../../../ui/button.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { Time } from '../../../ui/show/time.tsx';
import { moment } from '../../../live/clock.ts';
import { StateOf } from '../data/looks.tsx';
import type { Plan, ScheduleRow } from '../data/occurrences.ts';
import { chosen, open, type Chosen } from '../data/state.ts';
import { words } from '../words.ts';
import { isBusy, problem, restore, setEnabled, skip, type Seen } from './acts.ts';
import { ActChanged, ActDialog, type Asked } from './act-dialogs.tsx';
import { Became } from './became.tsx';
import { PlannedActions } from './planned-actions.tsx';

interface RegionProps {
  at: Chosen;
  plan: Plan;
  onClose: () => void;
}

export function OccurrenceRegion({ at, plan, onClose }: RegionProps) {
  const question = useSignal<Asked | undefined>(undefined);
  const { scheduleId } = at;
  const schedule = plan.schedules.get(scheduleId);
  // One that is paused is no longer among those that are planned: it is shown as it was.
  const occurrence = plan.occurrences.find(({ key }) => key === at.occurrence?.key) ?? at.occurrence;
  const { data, etag } = useOne('getScheduleById', schedule === undefined ? undefined : { scheduleId });
  const seen = data === undefined ? undefined : { row: data as ScheduleRow, etag };
  const w = words.value;
  useEffect(() => {
    problem.value = undefined;
  }, [at.occurrence?.key, scheduleId]);
  const hear = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    onClose();
  };
  const stream = plan.streams.find(({ id }) => id === (occurrence ?? schedule)?.livestreamId)?.name;
  const title = [stream, schedule?.name ?? occurrence?.name].filter(Boolean).join(' · ');
  const begins = occurrence ?? schedule;
  return (
    <section class="occurrence" aria-label={w.occurrence} onKeyDown={hear}>
      <header>
        <h2>{title}</h2>
        {schedule !== undefined && schedule.recurrence.type !== 'none' && (
          <span>{w.repeats[schedule.recurrence.type]}</span>
        )}
        {begins !== undefined && (
          <span>
            <Time at={begins.start} /> – <Time at={begins.end} />
          </span>
        )}
        {schedule !== undefined && <span class="soft">{schedule.timezone}</span>}
        {occurrence !== undefined && schedule?.enabled !== false && <StateOf state={occurrence.state} />}
        {schedule?.enabled === false && <span class="warn">{w.isPaused}</span>}
        <Button kind="quiet" icon="x" label={w.close} onPress={onClose}>
          {''}
        </Button>
      </header>
      <ProblemAlert problem={problem.value} />
      {schedule === undefined && <p class="soft">{w.gone}</p>}
      <Acts at={at} plan={plan} seen={seen} onAsk={(next) => (question.value = next)} />
      {occurrence !== undefined && !/planned|skipped/u.test(occurrence.state) && <Became occurrence={occurrence} />}
      {begins !== undefined && <PlannedActions of={begins} stream={stream ?? ''} />}
      {question.value !== undefined && (
        <ActDialog
          question={question.value}
          isOnAir={plan.occurrences.some((row) => row.scheduleId === scheduleId && row.state === 'on_air')}
          stream={stream ?? ''}
          onClose={() => (question.value = undefined)}
        />
      )}
      <ActChanged />
    </section>
  );
}

interface ActsProps extends Omit<RegionProps, 'onClose'> {
  /** undefined: it is on its way. */
  seen: Seen | undefined;
  onAsk: (question: Asked) => void;
}

function Acts({ at, plan, seen, onAsk }: ActsProps) {
  const w = words.value;
  const schedule = plan.schedules.get(at.scheduleId);
  const occurrence = plan.occurrences.find(({ key }) => key === at.occurrence?.key) ?? at.occurrence;
  const isSeries = schedule !== undefined && schedule.recurrence.type !== 'none';
  const isOver = occurrence === undefined || occurrence.endMs <= moment.value;
  const state = occurrence?.state;
  const isAhead = isSeries && !isOver && schedule.enabled;
  const busy = (isBusy.value || (schedule !== undefined && seen === undefined)) && w.busy;
  const askSkip = (): void => {
    if (occurrence === undefined || seen === undefined) return;
    if (state === 'on_air') onAsk({ kind: 'skip', occurrence, seen });
    else void skip(occurrence, seen);
  };
  return (
    <div class="acts">
      {isAhead && state !== 'skipped' && state !== 'done' && can('skipOccurrence') && (
        <Button busy={busy} onPress={askSkip}>
          {w.skip}
        </Button>
      )}
      {occurrence !== undefined && !isOver && state === 'skipped' && can('restoreSkip') && (
        <Button busy={busy} icon="undo-2" onPress={() => void restore(occurrence)}>
          {w.restore}
        </Button>
      )}
      {schedule !== undefined && can('updateSchedule') && (
        <Button
          busy={busy}
          icon={schedule.enabled ? 'pause' : 'play'}
          onPress={() => seen !== undefined && void setEnabled(seen, !schedule.enabled)}
        >
          {schedule.enabled ? w.pause : w.resume}
        </Button>
      )}
      {isAhead && occurrence !== undefined && can('patchScheduleUntil') && (
        <Button busy={busy} onPress={() => seen !== undefined && onAsk({ kind: 'end', occurrence, seen })}>
          {w.endSeries}
        </Button>
      )}
      {schedule !== undefined && can('updateSchedule') && (
        <Button icon="pencil" onPress={() => (open.value = { kind: 'edit', scheduleId: schedule.id })}>
          {w.edit}
        </Button>
      )}
      {schedule !== undefined && can('deleteSchedule') && (
        <Button busy={busy} icon="trash-2" onPress={() => seen !== undefined && onAsk({ kind: 'delete', seen })}>
          {w.delete}
        </Button>
      )}
    </div>
  );
}

export function closeRegion(): void {
  chosen.value = undefined;
}
