/** Deletes a row after it was asked; what still needs the row is named. */
import { useSignal } from '@preact/signals';
import type { ParamsOf } from '../api/operation-types.ts';
import type { ProblemError } from '../api/problems.ts';
import { save } from '../api/saves.ts';
import type { OperationId } from '../../client/request.ts';
import { formWords } from '../i18n/form-words.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

export interface DeleteDialogProps<O extends OperationId> {
  name: string;
  operation: O;
  params: ParamsOf<O>;
  etag?: string | undefined;
  /** Tells what else ends with it. */
  effect?: string | undefined;
  /** In place of "Delete «name»?" and "Delete «name»": revoking a token, …. */
  title?: string | undefined;
  button?: string | undefined;
  onDeleted: () => void;
  onClose: () => void;
}

export function DeleteDialog<O extends OperationId>(props: DeleteDialogProps<O>) {
  const { name, operation, params, effect, onDeleted, onClose } = props;
  const isBusy = useSignal(false);
  const problem = useSignal<ProblemError | undefined>(undefined);
  /** Names the version that the person was told of after somebody else's change. */
  const etag = useSignal<string | undefined>(undefined);
  const changed = useSignal<string | undefined>(undefined);
  const f = formWords.value;
  const remove = async (): Promise<void> => {
    isBusy.value = true;
    const outcome = await save({ operation, params, etag: etag.value ?? props.etag });
    isBusy.value = false;
    problem.value = undefined;
    changed.value = undefined;
    if (outcome.kind === 'saved') onDeleted();
    else if (outcome.kind === 'refused') problem.value = outcome.error;
    else {
      etag.value = outcome.etag;
      changed.value = outcome.by === undefined ? f.changed(name) : f.changedBy(name, outcome.by);
    }
  };
  const users = problem.value?.fields.users ?? [];
  return (
    <ConfirmDialog
      title={props.title ?? f.deleteTitle(name)}
      effect={effect ?? f.deleteEffect(name)}
      button={props.button ?? f.deleteOf(name)}
      busy={isBusy.value ? f.deleting : undefined}
      onCancel={onClose}
      onConfirm={() => void remove()}
      problem={
        <>
          {changed.value !== undefined && <p role="alert">{changed.value}</p>}
          <ProblemAlert problem={problem.value} />
          {users.length > 0 && (
            <>
              <p>{f.usedBy}</p>
              <ul>
                {users.map((user) => (
                  <li key={`${user.resource} ${user.id}`}>{`${user.resource} ${user.name}`}</li>
                ))}
              </ul>
            </>
          )}
        </>
      }
    />
  );
}
