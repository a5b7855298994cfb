/** The outcome has code of its own: the form of an empty store belongs to what is loaded first. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { withWords } from '../i18n/words.ts';
import type { Outcome } from './outcome.tsx';
import { isBusy, result } from './set-up.ts';

const view = signal<typeof Outcome | undefined>(undefined);

export function LaterOutcome() {
  const data = result.value;
  const isWanted = isBusy.value || data !== undefined;
  useEffect(() => {
    if (!isWanted) return;
    withWords(import('./outcome.tsx')).then(
      (found) => (view.value = found.Outcome),
      () => undefined,
    );
  }, [isWanted]);
  const View = view.value;
  return data === undefined || View === undefined ? null : <View data={data} />;
}
