/** The dialogs are code of their own, which is fetched while the page is idle: the wall is there sooner. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { withWords } from '../../../../i18n/words.ts';

/** After the first pictures; a key that is pressed before waits for it. */
const IDLE_MS = 500;
const RETRY_MS = 3_000;

export function LazyDialogs() {
  const view = useSignal<{ Dialogs: ComponentType } | undefined>(undefined);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const load = (): void => {
      withWords(import('./dialogs.tsx')).then(
        (found) => (view.value = found),
        () => (timer = setTimeout(load, RETRY_MS)),
      );
    };
    timer = setTimeout(load, IDLE_MS);
    return () => clearTimeout(timer);
  }, []);
  const Dialogs = view.value?.Dialogs;
  return Dialogs === undefined ? null : <Dialogs />;
}
