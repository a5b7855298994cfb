/** The dialog that is open: a new Schedule, an edit, or the question what is moved. */
import { EditAction, NewAction } from '../../../resource/planned-action/action-dialogs.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import type { Values } from '../../../ui/form/field.ts';
import { words as shared } from '../../../i18n/words.ts';
import { serverNow } from '../../../live/clock.ts';
import { restore, skip } from '../chosen/acts.ts';
import type { Plan, ScheduleRow } from '../data/occurrences.ts';
import { open, type Open } from '../data/state.ts';
import { words } from '../words.ts';
import { EditSchedule, NewSchedule } from './schedule-dialog.tsx';
import { seriesTimes } from './series-times.ts';

interface OpenDialogProps {
  plan: Plan;
  onSaved: (row: ScheduleRow) => void;
}

const HOUR_MS = 3_600_000;

function nextHour(): { start: string; end: string } {
  const start = Math.ceil((serverNow() + 1) / HOUR_MS) * HOUR_MS;
  return { start: new Date(start).toISOString(), end: new Date(start + HOUR_MS).toISOString() };
}

export function OpenDialog({ plan, onSaved }: OpenDialogProps) {
  const opened = open.value;
  const close = (): void => {
    open.value = undefined;
  };
  if (opened === undefined) return null;
  const saved = (row: ScheduleRow): void => {
    close();
    onSaved(row);
  };
  if (opened.kind === 'add') {
    const cancel = (): void => {
      close();
      void opened.onCancelled?.();
    };
    return <NewSchedule seed={{ ...nextHour(), ...opened.seed }} onSaved={saved} onClose={cancel} />;
  }
  if (opened.kind === 'edit')
    return <EditSchedule key={opened.scheduleId} {...opened} onSaved={saved} onClose={close} />;
  if (opened.kind === 'action') return <EditAction key={opened.actionId} {...opened} onSaved={close} onClose={close} />;
  if (opened.kind === 'add-action') {
    const { at, ...rest } = opened;
    return <NewAction {...rest} seed={seedAt(at)} onSaved={close} onClose={close} />;
  }
  return <MoveDialog moved={opened} schedule={plan.schedules.get(opened.occurrence.scheduleId)} onClose={close} />;
}

/** What is offered first for each kind of action. */
function seedAt(execute_at: string): Values {
  const payload = { mode: 'Black Frame', action: 'show', type: 'CueOut', metadata: { duration: 30 } };
  return { execute_at, payload };
}

interface MoveDialogProps {
  moved: Extract<Open, { kind: 'move' }>;
  schedule: ScheduleRow | undefined;
  onClose: () => void;
}

function MoveDialog({ moved: { occurrence, times }, schedule, onClose }: MoveDialogProps) {
  const w = words.value;
  const { name, scheduleId, livestreamId } = occurrence;
  const single = async (): Promise<void> => {
    if (!(await skip(occurrence))) {
      onClose();
      return;
    }
    const date = times.start.slice(0, 10);
    const seed = { ...times, livestreamId, name: w.oneOf(name, date), timezone: schedule?.timezone ?? 'UTC' };
    // The old one goes first, because the new one may overlap it; it comes back where nothing new is saved.
    open.value = { kind: 'add', seed, onCancelled: () => restore(occurrence) };
  };
  const series = (): void => {
    open.value = {
      kind: 'edit',
      scheduleId,
      times: schedule === undefined ? times : seriesTimes(schedule, occurrence, times, serverNow()),
    };
  };
  return (
    <Dialog title={w.moved(name)} description={w.movedText} onClose={onClose}>
      <footer class="dialog-foot">
        <Button onPress={onClose}>{shared.value.ui.cancel}</Button>
        <Button onPress={() => void single()}>{w.moveOne}</Button>
        <Button kind="main" onPress={series}>
          {w.moveAll}
        </Button>
      </footer>
    </Dialog>
  );
}
