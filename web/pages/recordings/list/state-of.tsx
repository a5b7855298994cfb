/** The state of a Recording: shape, word and colour. */
import { words } from '../words.ts';

const LOOKS = {
  recording: { shape: '●', look: 'ok' },
  finished: { shape: '■', look: 'soft' },
  failed: { shape: '✕', look: 'fault' },
} as const;

export function StateOf({ status }: { status: keyof typeof LOOKS }) {
  const { shape, look } = LOOKS[status];
  return (
    <span class={`recording-state ${look}`}>
      <span aria-hidden="true">{shape}</span> {words.value.states[status]}
    </span>
  );
}
