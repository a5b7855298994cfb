/** Rows of their final size while an answer is on its way; nothing is shown for the first 400 ms. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { words } from '../../i18n/words.ts';

/** An answer that comes within this time needs no sign that it is awaited. */
const QUIET_MS = 400;

export function Outline({ rows = 3, kind = 'row' }: { rows?: number; kind?: 'row' | 'tile' }) {
  const isShown = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isShown.value = true), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class={`outline outline-${kind}${isShown.value ? ' outline-shown' : ''}`} aria-busy="true">
      {isShown.value && <span class="hidden">{words.value.loading}</span>}
      {Array.from({ length: rows }, (_, place) => (
        <div key={place} aria-hidden="true" />
      ))}
    </div>
  );
}
