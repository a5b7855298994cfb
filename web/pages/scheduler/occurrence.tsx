/** The chosen occurrence, and what can be done with it and its series. */
import { useSignal } from '@preact/signals';
import { can } from '../../api/can.ts';
import { useOne } from '../../api/reads.ts';
import { hrefOf } from '../../route.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { notify } from '../../ui/registry/notices.ts';
import { endSeries, pauseSeries, restore, skip } from './acts.ts';
import type { Occurrence, Schedule } from './data.ts';
import { Questions, type Question } from './questions.tsx';
import { itemText } from './texts.ts';
import { words } from './words.ts';

interface RegionProps {
  occurrence: Occurrence | undefined;
  onEdit: (schedule: Schedule) => void;
}

export function OccurrenceRegion({ occurrence, onEdit }: RegionProps) {
  const w = words.value;
  return (
    <section class="panel occurrence" aria-label={w.occurrence}>
      {occurrence === undefined ? (
        <p class="soft">{w.chooseOne}</p>
      ) : (
        <Chosen key={occurrence.id} {...{ occurrence, onEdit }} />
      )}
    </section>
  );
}

function Chosen({ occurrence, onEdit }: { occurrence: Occurrence } & Pick<RegionProps, 'onEdit'>) {
  const { data, etag } = useOne('getScheduleById', { scheduleId: occurrence.scheduleId });
  const question = useSignal<Question | undefined>(undefined);
  const busy = useSignal(false);
  const problem = useSignal<unknown>(undefined);
  const w = words.value;
  const schedule = data as Schedule | undefined;
  const run = async (act: () => Promise<unknown>): Promise<void> => {
    busy.value = true;
    problem.value = undefined;
    try {
      await act();
      question.value = undefined;
    } catch (error) {
      problem.value = error;
    }
    busy.value = false;
  };
  if (schedule === undefined) return <p>{itemText(occurrence)}</p>;
  const { name, recurrence, enabled } = schedule;
  const isSeries = recurrence.type !== 'none';
  const { state } = occurrence;
  const skipIt = (): Promise<void> =>
    run(async () => {
      const skipId = await skip(occurrence);
      notify(w.did.skipped(name), () => restore(occurrence, skipId));
    });
  const setEnabled = (next: boolean): Promise<void> =>
    run(async () => {
      await pauseSeries(schedule, next, etag);
      const isStill = async (): Promise<void> => pauseSeries(schedule, !next, undefined);
      notify(next ? w.did.resumed(name) : w.did.paused(name), isStill);
    });
  return (
    <>
      <h2>{name}</h2>
      <p>
        {itemText(occurrence)} {isSeries && <span class="soft">· {w.series(w.repeats[recurrence.type])}</span>}{' '}
        {!enabled && <strong class="warn">· {w.paused}</strong>}{' '}
        <a href={hrefOf('live-streams', occurrence.livestreamId)}>{w.open}</a>
      </p>
      <ProblemAlert problem={problem.value as Error | undefined} />
      <div class="acts">
        {isSeries && can('skipOccurrence') && (state === 'planned' || state === 'on_air') && (
          <Button
            busy={busy.value && w.skip}
            onPress={() => (state === 'on_air' ? (question.value = 'skip') : void skipIt())}
          >
            {w.skip}
          </Button>
        )}
        {state === 'skipped' && can('restoreSkip') && (
          <Button
            onPress={() =>
              void run(async () => {
                await restore(occurrence);
                notify(w.did.restored(name));
              })
            }
          >
            {w.restore}
          </Button>
        )}
        {can('updateSchedule') && (
          <Button onPress={() => void setEnabled(!enabled)}>{enabled ? w.pause : w.resume}</Button>
        )}
        {isSeries && can('patchScheduleUntil') && <Button onPress={() => (question.value = 'end')}>{w.end}</Button>}
        {can('updateSchedule') && (
          <Button icon="pencil" onPress={() => onEdit(schedule)}>
            {w.editButton}
          </Button>
        )}
        {can('deleteSchedule') && (
          <Button icon="trash-2" onPress={() => (question.value = 'delete')}>
            {w.deleteOf}
          </Button>
        )}
      </div>
      <Questions
        {...{ occurrence, schedule, etag }}
        question={question.value}
        isBusy={busy.value}
        onClose={() => (question.value = undefined)}
        onSkip={() => void skipIt()}
        onEnd={() => void run(() => endSeries(occurrence, etag))}
      />
    </>
  );
}
