/** Asks whether one occurrence of a series is moved, or the series. */
import { useSignal } from '@preact/signals';
import { call } from '../../api/call.ts';
import { resourceChanged } from '../../api/query.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { notify } from '../../ui/registry/notices.ts';
import { restore, skip } from './acts.ts';
import type { Occurrence, Schedule } from './data.ts';
import type { Times } from './schedule-fields.tsx';
import { dayText, minuteText } from './texts.ts';
import { words } from './words.ts';

interface MoveDialogProps {
  occurrence: Occurrence;
  schedule: Schedule;
  times: Times;
  onSeries: () => void;
  onClose: () => void;
}

export function MoveDialog({ occurrence, schedule, times, onSeries, onClose }: MoveDialogProps) {
  const problem = useSignal<Error | undefined>(undefined);
  const busy = useSignal(false);
  const w = words.value;
  const day = dayText(times.start);
  const moveOne = async (): Promise<void> => {
    busy.value = true;
    problem.value = undefined;
    // The old one first: the new one may overlap it. It comes back when the new one is refused.
    let skipId: number | undefined;
    try {
      skipId = await skip(occurrence);
      const name = w.movedName(schedule.name, day).slice(0, 100);
      const { livestreamId, timezone, idEncoderGroup } = schedule;
      const span = { start: new Date(times.start).toISOString(), end: new Date(times.end).toISOString() };
      await call('addSchedule', { body: { name, livestreamId, timezone, idEncoderGroup, ...span } });
      resourceChanged('schedules');
      notify(w.did.saved(name));
      onClose();
    } catch (error) {
      if (skipId !== undefined) await restore(occurrence, skipId).catch(() => undefined);
      problem.value = error as Error;
    }
    busy.value = false;
  };
  return (
    <Dialog
      title={w.moveTitle(schedule.name)}
      description={w.moveEffect(`${day} ${minuteText(times.start)}`, minuteText(times.end))}
      onClose={onClose}
    >
      <ProblemAlert problem={problem.value} />
      <footer class="dialog-foot">
        <Button busy={busy.value && w.moveOne} onPress={() => void moveOne()}>
          {w.moveOne}
        </Button>
        <Button kind="main" onPress={onSeries}>
          {w.moveSeries}
        </Button>
      </footer>
    </Dialog>
  );
}
