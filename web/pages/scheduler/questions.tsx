/** The dialogs that ask before an act on an occurrence that cannot be taken back. */
import { DeleteDialog } from '../../resource/delete-dialog.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import type { Occurrence, Schedule } from './data.ts';
import { dayText } from './texts.ts';
import { words } from './words.ts';

export type Question = 'skip' | 'end' | 'delete';

interface QuestionsProps {
  occurrence: Occurrence;
  schedule: Schedule;
  etag: string | undefined;
  question: Question | undefined;
  isBusy: boolean;
  onClose: () => void;
  onSkip: () => void;
  onEnd: () => void;
}

export function Questions({ occurrence, schedule, etag, question, isBusy, onClose, onSkip, onEnd }: QuestionsProps) {
  const w = words.value;
  const { name } = schedule;
  if (question === 'skip')
    return (
      <ConfirmDialog
        title={w.skipTitle(name)}
        effect={w.skipOnAir}
        button={`${w.skip}: ${name}`}
        busy={isBusy ? w.skip : undefined}
        onConfirm={onSkip}
        onCancel={onClose}
      />
    );
  if (question === 'end')
    return (
      <ConfirmDialog
        title={w.endTitle(name)}
        effect={w.endEffect(dayText(occurrence.start))}
        button={w.endButton(name)}
        busy={isBusy ? w.end : undefined}
        onConfirm={onEnd}
        onCancel={onClose}
      />
    );
  if (question === 'delete')
    return (
      <DeleteDialog
        name={name}
        operation="deleteSchedule"
        params={{ scheduleId: schedule.id }}
        etag={etag}
        effect={occurrence.state === 'on_air' ? w.deleteOnAir : w.deleteEffect}
        onDeleted={onClose}
        onClose={onClose}
      />
    );
  return null;
}
