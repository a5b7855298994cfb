/** The sign-in form, the only form while it is shown. */
import { useSignal } from '@preact/signals';
import { words } from '../i18n/words.ts';
import { signIn } from '../api/sign-in.ts';
import { ProblemError } from '../api/problems.ts';
import { hasSignedIn } from '../prefs.ts';

export function SignInForm() {
  const problem = useSignal('');
  const w = words.value.signIn;
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    try {
      await signIn(String(fields.get('user')), String(fields.get('password')));
    } catch (error) {
      problem.value = problemText(error);
    }
  };
  return (
    <main>
      <form class="sign-in" aria-label={w.name} onSubmit={(event) => void submit(event)}>
        <h1>{w.name}</h1>
        <label>
          {w.user}
          <input name="user" autocomplete="username" required />
        </label>
        <label>
          {w.password}
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        {problem.value !== '' && (
          <div role="alert" class="fault">
            {problem.value}
          </div>
        )}
        <button type="submit">{w.button}</button>
        {hasSignedIn.value === 'no' && <p class="soft">{w.first}</p>}
      </form>
    </main>
  );
}

function problemText(error: unknown): string {
  const w = words.value;
  if (!(error instanceof ProblemError) || error.status === 0) return w.notReached;
  const seconds = error.fields.retry_after_seconds;
  return seconds === undefined ? error.message : `${error.message} ${w.signIn.wait(Math.ceil(seconds))}`;
}
