/** Commands that are planned for the Live stream during the occurrence, and a new one. */
import { useSignal } from '@preact/signals';
import { can } from '../../../api/can.ts';
import { useList } from '../../../api/reads.ts';
import { serverNow } from '../../../live/clock.ts';
import { DeleteDialog } from '../../../resource/delete-dialog.tsx';
import { actionText } from '../../../resource/planned-action/action-text.ts';
import { timesOf } from '../../../resource/planned-action/times.ts';
import { words as actionWords } from '../../../resource/planned-action/words.ts';
import { shownZone } from '../../../shown-zone.ts';
import { Button } from '../../../ui/button.tsx';
import { Time } from '../../../ui/show/time.tsx';
import { clockText } from '../../../zone.ts';
import type { OccurrenceRow, ScheduleRow } from '../data/occurrences.ts';
import { open } from '../data/state.ts';
import { words } from '../words.ts';

const MINUTE_MS = 60_000;
/** After the start, or from now on where it has begun. */
const FIRST_MS = 5 * MINUTE_MS;

interface PlannedActionsProps {
  of: OccurrenceRow | ScheduleRow;
  stream: string;
}

export function PlannedActions({ of, stream }: PlannedActionsProps) {
  const { livestreamId, start, end } = of;
  const deleted = useSignal<{ id: number; name: string } | undefined>(undefined);
  const { rows } = useList('getAllPlannedActions', {
    params: { livestreamId, from: start, to: end },
    sort: 'execute_at',
    pageSize: 200,
  });
  const w = words.value;
  const isOver = Date.parse(end) <= serverNow();
  const add = (): void => {
    const from = Math.max(Date.parse(start), Math.ceil(serverNow() / MINUTE_MS) * MINUTE_MS);
    const at = new Date(from + FIRST_MS).toISOString();
    open.value = { kind: 'add-action', livestreamId, stream, at };
  };
  if (rows.length === 0 && (isOver || !can('addLivestreamAction'))) return null;
  return (
    <div class="occurrence-planned">
      <span class="soft">{w.plannedActions}</span>
      <ul class="occurrence-actions" hidden={rows.length === 0} aria-label={w.plannedActions}>
        {timesOf(rows).map(({ key, id, execute_at, status, error, ...act }) => {
          const text = actionText(act, actionWords.value);
          const name = `${text} ${clockText(Date.parse(execute_at), shownZone.value).slice(0, 5)}`;
          const isOpen = status === 'pending';
          return (
            <li key={key}>
              <span aria-hidden="true">◆</span> <Time at={execute_at} show="time" /> {text}
              {!isOpen && (
                <span class={status === 'failed' ? 'fault' : 'soft'}>
                  {' '}
                  {w.actionStates[status]}
                  {error !== null && `: ${error}`}
                </span>
              )}
              {isOpen && can('updatePlannedAction') && (
                <Button
                  kind="quiet"
                  icon="pencil"
                  label={w.editOf(name)}
                  onPress={() => (open.value = { kind: 'action', actionId: id, stream })}
                >
                  {''}
                </Button>
              )}
              {isOpen && can('deletePlannedAction') && (
                <Button
                  kind="quiet"
                  icon="trash-2"
                  label={w.deleteOf(name)}
                  onPress={() => (deleted.value = { id, name })}
                >
                  {''}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {!isOver && can('addLivestreamAction') && (
        <Button kind="quiet" icon="plus" label={w.addAction} onPress={add}>
          {''}
        </Button>
      )}
      {deleted.value !== undefined && (
        <DeleteDialog
          name={deleted.value.name}
          operation="deletePlannedAction"
          params={{ actionId: deleted.value.id }}
          onClose={() => (deleted.value = undefined)}
          onDeleted={() => (deleted.value = undefined)}
        />
      )}
    </div>
  );
}
