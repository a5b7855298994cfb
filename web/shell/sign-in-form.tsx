/** The sign-in form, the only form while it is shown: alone, or over what was shown until the session ended. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ProblemError } from '../api/problems.ts';
import { session } from '../api/session.ts';
import { providerName, signIn } from '../api/sign-in.ts';
import { problemLine } from '../i18n/problem-text.ts';
import { words } from '../i18n/words.ts';
import { hasSignedIn } from '../prefs.ts';
import { Button } from '../ui/button.tsx';

export function SignInForm() {
  const problem = useSignal('');
  const isBusy = useSignal(false);
  const waitSeconds = useSignal(0);
  const w = words.value.signIn;
  useEffect(() => {
    if (waitSeconds.value <= 0) return undefined;
    const timer = setTimeout(() => (waitSeconds.value -= 1), 1000);
    return () => clearTimeout(timer);
  }, [waitSeconds.value]);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy.value || waitSeconds.value > 0) return;
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    isBusy.value = true;
    problem.value = '';
    try {
      await signIn(String(fields.get('user')), String(fields.get('password')));
    } catch (error) {
      problem.value = problemText(error);
      waitSeconds.value = error instanceof ProblemError ? Math.ceil(error.fields.retry_after_seconds ?? 0) : 0;
    } finally {
      isBusy.value = false;
    }
  };
  const wait = waitSeconds.value;
  const provider = providerName();
  return (
    <form class="sign-in" aria-label={w.name} onSubmit={(event) => void submit(event)}>
      <h1 id="sign-in">
        <span class="brand">onair</span> {w.name}
      </h1>
      {session.value != null && <p>{w.again}</p>}
      <label>
        {w.user}
        <input name="user" autocomplete="username" required autofocus defaultValue={session.value?.user} />
      </label>
      <label>
        {w.password}
        <input name="password" type="password" autocomplete="current-password" required />
      </label>
      {problem.value !== '' && (
        <div role="alert" class="problem">
          {problem.value}
        </div>
      )}
      <Button
        submits
        kind="main"
        label={w.button}
        busy={isBusy.value && w.busy}
        disabledWhy={wait > 0 ? w.wait(wait) : undefined}
      >
        {wait > 0 ? w.buttonIn(wait) : w.button}
      </Button>
      {provider !== undefined && (
        <a class="button button-plain" href="svcapiv2/security/oidc/login">
          {w.with(provider)}
        </a>
      )}
      {hasSignedIn.value === 'no' && <p class="soft">{w.first}</p>}
    </form>
  );
}

function problemText(error: unknown): string {
  const w = words.value;
  if (!(error instanceof ProblemError)) return w.notReached;
  if (error.status === 401) return w.signIn.wrong;
  const text = problemLine(error);
  const seconds = error.fields.retry_after_seconds;
  if (seconds === undefined) return text;
  const wait = w.signIn.wait(Math.ceil(seconds));
  return text.includes(wait) ? text : `${text} ${wait}`;
}
