/** The field of the key G: Enter goes to the time that was typed, and the letters act again. */
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { TextField } from '../../../ui/field.tsx';
import { parseTimeCode } from '../cutting/time-code.ts';
import { words } from '../words.ts';
import type { PlayerState } from './playback.ts';

interface GoToProps {
  input: RefObject<HTMLInputElement | null>;
  playback: PlayerState;
  onDone: () => void;
}

export function GoTo({ input, playback, onDone }: GoToProps) {
  const w = words.value;
  const text = useSignal('');
  const isWrong = useSignal(false);
  const go = (event: Event): void => {
    event.preventDefault();
    const seconds = parseTimeCode(text.value);
    isWrong.value = seconds === undefined;
    if (seconds === undefined) return;
    playback.seek(seconds);
    text.value = '';
    onDone();
  };
  return (
    <form class="go-to" onSubmit={go} onKeyDown={(event) => event.key === 'Escape' && onDone()}>
      <TextField
        label={`${w.goTo} (G)`}
        description={w.goToHint}
        value={text.value}
        error={isWrong.value ? w.unreadable : undefined}
        inputRef={input}
        onValue={(value) => (text.value = value)}
      />
    </form>
  );
}
