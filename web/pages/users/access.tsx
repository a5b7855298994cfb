/** Shutting a User out, which tells what ends by it, and letting the User in again. */
import { useSignal } from '@preact/signals';
import { can } from '../../api/can.ts';
import type { RowOf } from '../../api/operation-types.ts';
import { useOne } from '../../api/reads.ts';
import { save } from '../../api/saves.ts';
import { formWords } from '../../i18n/form-words.ts';
import { problemLine } from '../../i18n/problem-text.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { announceFault } from '../../ui/registry/notices.ts';
import { words } from './words.ts';

interface AccessProps {
  user: RowOf<'getAllUsers'>;
}

export function AccessButton({ user }: AccessProps) {
  const isAsking = useSignal(false);
  const isBusy = useSignal(false);
  const w = words.value;
  const { username, active } = user;
  if (!can('updateUser')) return null;
  const enable = async (): Promise<void> => {
    isBusy.value = true;
    const outcome = await save({ operation: 'updateUser', params: { userId: user.id }, body: { active: true } });
    isBusy.value = false;
    if (outcome.kind === 'refused') announceFault(problemLine(outcome.error));
  };
  if (!active)
    return (
      <Button kind="quiet" label={w.enableOf(username)} busy={isBusy.value && '…'} onPress={() => void enable()}>
        {w.enable}
      </Button>
    );
  return (
    <>
      <Button kind="quiet" label={w.disableOf(username)} onPress={() => (isAsking.value = true)}>
        {w.disable}
      </Button>
      {isAsking.value && <DisableDialog user={user} onClose={() => (isAsking.value = false)} />}
    </>
  );
}

function DisableDialog({ user: { id, username }, onClose }: AccessProps & { onClose: () => void }) {
  const { data, etag } = useOne('getUserById', { userId: id, credentials: true });
  const isBusy = useSignal(false);
  const problem = useSignal<Error | undefined>(undefined);
  /** ETag of the version that the person was told of after somebody else's change. */
  const newer = useSignal<string | undefined>(undefined);
  const changed = useSignal<string | undefined>(undefined);
  const w = words.value;
  const disable = async (): Promise<void> => {
    isBusy.value = true;
    problem.value = undefined;
    changed.value = undefined;
    const outcome = await save({
      operation: 'updateUser',
      params: { userId: id },
      body: { active: false },
      etag: newer.value ?? etag,
    });
    isBusy.value = false;
    if (outcome.kind === 'saved') onClose();
    else if (outcome.kind === 'refused') problem.value = outcome.error;
    else {
      newer.value = outcome.etag;
      const { by } = outcome;
      changed.value = by === undefined ? formWords.value.changed(username) : formWords.value.changedBy(username, by);
    }
  };
  return (
    <ConfirmDialog
      title={w.disableTitle(username)}
      effect={
        data === undefined
          ? w.counting
          : `${w.sessionsEnd(data.sessions ?? 0)} ${w.tokensEnd(data.tokens ?? 0)} ${w.reversible}`
      }
      button={w.disableOf(username)}
      busy={isBusy.value ? w.disabling : undefined}
      onCancel={onClose}
      onConfirm={() => void disable()}
      problem={
        <>
          {changed.value !== undefined && <p role="alert">{changed.value}</p>}
          <ProblemAlert problem={problem.value} />
        </>
      }
    />
  );
}
