/** The store went back, and waits for a person: what that means, and the button that ends it. */
import { useSignal } from '@preact/signals';
import { call, dataIn } from '../api/call.ts';
import { can } from '../api/can.ts';
import type { DataOf } from '../api/operation-types.ts';
import { useQuery } from '../api/query.ts';
import { words } from '../i18n/words.ts';
import { Button } from '../ui/button.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { Time } from '../ui/show/time.tsx';

export function RestoreBanner() {
  const { data } = useQuery(
    ['system/restore'],
    async (signal) => dataIn((await call('getRestore', { signal })).body) as DataOf<'getRestore'>,
    { isWanted: can('getRestore') },
  );
  const isSending = useSignal(false);
  const problem = useSignal<Error | null>(null);
  const w = words.value.restore;
  if (data?.waiting !== true || data.restore === null) return null;
  const send = (): void => {
    isSending.value = true;
    problem.value = null;
    // The feed says that it is over.
    call('acknowledgeRestore', { body: {} })
      .catch((error: unknown) => (problem.value = error as Error))
      .finally(() => (isSending.value = false));
  };
  const { seen_until: until } = data.restore;
  return (
    <section class="banner" aria-label={w.title}>
      <p role="status">
        <strong>{w.title}</strong> {w.lost} <Time at={until} />. {w.text}
      </p>
      <p>
        {w.look}{' '}
        {can('acknowledgeRestore') && (
          <Button onPress={send} busy={isSending.value && w.sending}>
            {w.goOn}
          </Button>
        )}
      </p>
      <ProblemAlert problem={problem.value} />
    </section>
  );
}
