/** The state of an occurrence: shape, word and colour. */
import { words } from '../words.ts';
import type { OccurrenceRow } from './occurrences.ts';

export const LOOKS = {
  planned: { shape: '○', look: 'planned' },
  on_air: { shape: '●', look: 'ok' },
  done: { shape: '■', look: 'soft' },
  skipped: { shape: '–', look: 'soft' },
  missed: { shape: '▲', look: 'warn' },
  failed: { shape: '✕', look: 'fault' },
} as const;

export function StateOf({ state }: Pick<OccurrenceRow, 'state'>) {
  const { shape, look } = LOOKS[state];
  return (
    <span class={`occurrence-state ${look}`}>
      <span aria-hidden="true">{shape}</span> {words.value.states[state]}
    </span>
  );
}
