/** A question comes before an act that cannot be taken back, and names its effect. */
import { ChangedDialog } from '../../../resource/changed-dialog.tsx';
import { DeleteDialog } from '../../../resource/delete-dialog.tsx';
import { shownZone } from '../../../shown-zone.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { language } from '../../../i18n/words.ts';
import { clockText, dateText } from '../../../zone.ts';
import type { OccurrenceRow } from '../data/occurrences.ts';
import { chosen } from '../data/state.ts';
import { words } from '../words.ts';
import { changed, endSeries, isBusy, problem, skip, type Seen } from './acts.ts';

export type Asked = { seen: Seen } & ({ kind: 'skip' | 'end'; occurrence: OccurrenceRow } | { kind: 'delete' });

interface ActDialogProps {
  question: Asked;
  isOnAir: boolean;
  stream: string;
  onClose: () => void;
}

export function ActDialog({ question, isOnAir, stream, onClose }: ActDialogProps) {
  const w = words.value;
  const { seen } = question;
  if (question.kind === 'delete') {
    const { id, name } = seen.row;
    return (
      <DeleteDialog
        name={name}
        operation="deleteSchedule"
        params={{ scheduleId: id }}
        etag={seen.etag}
        effect={isOnAir ? w.deleteOnAir(stream) : w.deleteEffect}
        onClose={onClose}
        onDeleted={() => {
          onClose();
          chosen.value = undefined;
        }}
      />
    );
  }
  const { occurrence, kind } = question;
  const { name, startMs } = occurrence;
  const zone = shownZone.value;
  const from = `${dateText(startMs, zone, language.value)} ${clockText(startMs, zone)}`;
  const isSkip = kind === 'skip';
  const act = async (): Promise<void> => {
    if (await (isSkip ? skip(occurrence, seen, true) : endSeries(occurrence, seen))) onClose();
  };
  return (
    <ConfirmDialog
      title={isSkip ? w.skipTitle(name) : w.endTitle(name)}
      effect={isSkip ? w.skipEffect(stream) : w.endEffect(from)}
      button={isSkip ? w.skipButton(name) : w.endButton(name)}
      busy={isBusy.value ? w.busy : undefined}
      problem={<ProblemAlert problem={problem.value} />}
      onConfirm={() => void act()}
      onCancel={onClose}
    />
  );
}

/** Somebody has changed the Schedule since it was shown. */
export function ActChanged() {
  const now = changed.value;
  if (now === undefined) return null;
  const { decide, ...question } = now;
  const leave = (): void => decide(false);
  return <ChangedDialog {...question} onClose={leave} onTakeTheirs={leave} onKeepMine={() => decide(true)} />;
}
