/** The list of faults comes with the code of the dialogs; its place is there at once. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { withWords } from '../../../i18n/words.ts';

const RETRY_MS = 3_000;

export function LazyTroubles() {
  const view = useSignal<{ TroubleList: ComponentType } | undefined>(undefined);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = (): void => {
      withWords(import('../acts/dialogs/dialogs.tsx')).then(
        (found) => (view.value = found),
        () => (timer = setTimeout(load, RETRY_MS)),
      );
    };
    load();
    return () => clearTimeout(timer);
  }, []);
  const TroubleList = view.value?.TroubleList;
  return TroubleList === undefined ? <div class="panel troubles" /> : <TroubleList />;
}
