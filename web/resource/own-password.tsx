/** A new password for the person who is signed in, of any role. */
import { useSignal } from '@preact/signals';
import type { ProblemError } from '../api/problems.ts';
import { session } from '../api/session.ts';
import { changePassword } from '../api/sign-in.ts';
import { formWords } from '../i18n/form-words.ts';
import { fieldError } from '../i18n/problem-text.ts';
import { words } from '../i18n/words.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { announce } from '../ui/registry/notices.ts';

const FIELDS = ['password', 'new_password'];

export default function OwnPassword({ onClose }: { onClose: () => void }) {
  const [present, next, again] = [useSignal(''), useSignal(''), useSignal('')];
  const problem = useSignal<ProblemError | undefined>(undefined);
  const isDifferent = useSignal(false);
  const isBusy = useSignal(false);
  const w = words.value;
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    isDifferent.value = next.value !== again.value;
    if (isBusy.value || isDifferent.value) return;
    isBusy.value = true;
    problem.value = undefined;
    try {
      await changePassword(present.value, next.value);
      announce(w.passwordChanged);
      onClose();
    } catch (error) {
      problem.value = error as ProblemError;
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <Dialog title={w.changePassword} size="small" onClose={onClose}>
      <form class="form" aria-label={w.changePassword} onSubmit={(event) => void submit(event)}>
        <ProblemAlert problem={problem.value} shownFields={FIELDS} />
        <p>{w.passwordText}</p>
        {/* For password managers. */}
        <input class="hidden" autocomplete="username" value={session.value?.user} readOnly tabIndex={-1} aria-hidden />
        <TextField
          label={w.presentPassword}
          type="password"
          autocomplete="current-password"
          value={present.value}
          onValue={(value) => (present.value = value)}
          error={fieldError(problem.value, 'password')}
          required
        />
        <TextField
          label={w.newPassword}
          type="password"
          autocomplete="new-password"
          value={next.value}
          onValue={(value) => (next.value = value)}
          description={w.passwordLength}
          error={fieldError(problem.value, 'new_password')}
          required
        />
        <TextField
          label={w.newPasswordAgain}
          type="password"
          autocomplete="new-password"
          value={again.value}
          onValue={(value) => (again.value = value)}
          error={isDifferent.value ? w.passwordsDiffer : undefined}
          required
        />
        <div class="dialog-foot">
          <Button onPress={onClose}>{w.ui.cancel}</Button>
          <Button kind="main" submits busy={isBusy.value && formWords.value.saving}>
            {w.ui.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
