/** Copies a text. The clipboard needs a secure context; on plain http the text is shown, selected, to be copied by hand. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { words } from '../i18n/words.ts';
import { Button } from './button.tsx';

interface CopyButtonProps {
  text: string;
  /** The words and the name of the button. */
  label?: string;
}

const DONE_MS = 3000;

export function CopyButton({ text, label }: CopyButtonProps) {
  const state = useSignal<'ready' | 'done' | 'by hand'>('ready');
  const field = useRef<HTMLInputElement>(null);
  const w = words.value.ui;
  useEffect(() => {
    if (state.value === 'by hand') field.current?.select();
    if (state.value !== 'done') return undefined;
    const timer = setTimeout(() => (state.value = 'ready'), DONE_MS);
    return () => clearTimeout(timer);
  }, [state.value]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      state.value = 'done';
    } catch {
      // There is no clipboard here, or the browser refuses it.
      state.value = 'by hand';
    }
  };
  return (
    <span class="copy">
      <Button kind="quiet" icon="copy" label={label ?? w.copy} onPress={() => void copy()}>
        {state.value === 'done' ? w.copied : (label ?? w.copy)}
      </Button>
      {state.value === 'by hand' && <input ref={field} readOnly value={text} aria-label={w.selectToCopy} />}
    </span>
  );
}
