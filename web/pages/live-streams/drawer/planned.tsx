/** Planned actions of a Live stream, and one more in place. */
import { useSignal } from '@preact/signals';
import { can } from '../../../api/can.ts';
import { useList } from '../../../api/reads.ts';
import { DeleteDialog } from '../../../resource/delete-dialog.tsx';
import { NewAction } from '../../../resource/planned-action/action-dialogs.tsx';
import { Button } from '../../../ui/button.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { Outline } from '../../../ui/show/outline.tsx';
import { Time } from '../../../ui/show/time.tsx';
import { formWords } from '../../../i18n/form-words.ts';
import { dateText, clockText } from '../../../zone.ts';
import { language, words as shared } from '../../../i18n/words.ts';
import { shownZone } from '../../../shown-zone.ts';
import { words } from '../words.ts';

export function Planned({ id, stream }: { id: number; stream: string }) {
  const isAdding = useSignal(false);
  const removing = useSignal<{ id: number; what: string } | undefined>(undefined);
  const w = words.value;
  const params = { livestreamId: id };
  const list = useList('getLivestreamActions', { params, sort: '-execute_at', pageSize: 50 });
  if (list.total === undefined && list.error === null) return <Outline rows={3} />;
  const whatOf = (type: keyof typeof w.actions, at: string | null): string => {
    if (at === null) return w.actions[type];
    const instant = Date.parse(at);
    const zone = shownZone.value;
    return `${w.actions[type]} ${dateText(instant, zone, language.value)} ${clockText(instant, zone)}`;
  };
  return (
    <>
      {can('addLivestreamAction') && (
        <p>
          <Button icon="plus" onPress={() => (isAdding.value = true)}>
            {w.addPlanned}
          </Button>
        </p>
      )}
      <ProblemAlert problem={list.error} />
      {list.total === 0 && <p class="soft">{w.noPlanned}</p>}
      <ul class="stream-plain stream-rows">
        {list.rows.map((action) => (
          <li key={action.id}>
            <span>
              {w.actions[action.type]} · {w.statusOf[action.status]}
              {action.error !== null && <span class="fault"> {action.error}</span>}
            </span>
            <small class="soft">
              {action.execute_at === null ? w.noneToCome : <Time at={action.execute_at} />} · {action.created_by}
            </small>
            {action.status === 'pending' && can('deletePlannedAction') && (
              <Button
                kind="quiet"
                icon="trash-2"
                label={w.deletePlanned(whatOf(action.type, action.execute_at))}
                onPress={() => (removing.value = { id: action.id, what: whatOf(action.type, action.execute_at) })}
              >
                {formWords.value.delete}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {list.hasMore && <Button onPress={list.more}>{shared.value.ui.more}</Button>}
      {isAdding.value && (
        <NewAction
          livestreamId={id}
          stream={stream}
          seed={{}}
          onSaved={() => (isAdding.value = false)}
          onClose={() => (isAdding.value = false)}
        />
      )}
      {removing.value !== undefined && (
        <DeleteDialog
          name={removing.value.what}
          operation="deletePlannedAction"
          params={{ actionId: removing.value.id }}
          onDeleted={() => (removing.value = undefined)}
          onClose={() => (removing.value = undefined)}
        />
      )}
    </>
  );
}
