/** The dialog that is open: a new Schedule, an edit, or the question what is moved. */
import { EditAction, NewAction } from '../../../resource/planned-action/action-dialogs.tsx';
import type { Values } from '../../../ui/form/field.ts';
import { serverNow } from '../../../live/clock.ts';
import type { Plan, ScheduleRow } from '../data/occurrences.ts';
import { open } from '../data/state.ts';
import { EditSchedule, NewSchedule } from './schedule-dialog.tsx';
import { MoveDialog } from './move-dialog.tsx';

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
    const added = (row: ScheduleRow): void => {
      saved(row);
      void opened.then?.(row);
    };
    return (
      <NewSchedule seed={{ ...nextHour(), ...opened.seed }} first={opened.first} onSaved={added} onClose={close} />
    );
  }
  if (opened.kind === 'edit')
    return <EditSchedule key={opened.scheduleId} {...opened} onSaved={saved} onClose={close} />;
  if (opened.kind === 'action') return <EditAction key={opened.actionId} {...opened} onSaved={close} onClose={close} />;
  if (opened.kind === 'add-action') {
    const { at, ...rest } = opened;
    return <NewAction {...rest} seed={seedAt(at)} onSaved={close} onClose={close} />;
  }
  const schedule = plan.schedules.get(opened.occurrence.scheduleId);
  return schedule === undefined ? null : <MoveDialog moved={opened} schedule={schedule} onClose={close} />;
}

/** What is offered first for each kind of action. */
function seedAt(execute_at: string): Values {
  const payload = { mode: 'Black Frame', action: 'show', type: 'CueOut', metadata: { duration: 30 } };
  return { execute_at, payload };
}
