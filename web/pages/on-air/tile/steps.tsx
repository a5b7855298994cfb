/** How far a start has come, and how long it may take. */
import { useComputed } from '@preact/signals';
import { moment } from '../../../live/clock.ts';
import type { LivestreamStatus } from '../../../live/status.ts';
import { words } from '../words.ts';

/** A start that is not on air then fails. */
const BOUND_MS = 30_000;
const STEPS = ['capacity', 'source', 'encoder', 'destination'] as const;
type Step = (typeof STEPS)[number];

/** Which steps of a start are done. */
function stepsDone({ deviceId, source, encodings, publishings }: LivestreamStatus): Record<Step, boolean> {
  const paths = publishings.flatMap(({ primary, backup }) => (backup === null ? [primary] : [primary, backup]));
  return {
    capacity: deviceId !== null,
    source: source?.state === 'up',
    encoder: encodings.some(({ fps }) => fps > 0),
    destination: paths.some(({ state }) => state === 'up'),
  };
}

export function Steps({ status }: { status: LivestreamStatus }) {
  const w = words.value.tile;
  const done = stepsDone(status);
  const left = useComputed(() => {
    if (status.since === null) return '';
    const ms = Date.parse(status.since) + BOUND_MS - moment.value;
    return w.within(Math.max(0, Math.ceil(ms / 1000)));
  });
  return (
    <>
      <ol class="steps" aria-label={w.steps(status.name)}>
        {STEPS.map((step) => (
          <li key={step} data-done={done[step] ? '' : undefined}>
            <span aria-hidden="true">{done[step] ? '✓' : '◌'}</span> {w.step[step]}
            <span class="hidden">: {done[step] ? w.stepStates.done : w.stepStates.waiting}</span>
          </li>
        ))}
      </ol>
      <p class="soft tile-line">{left}</p>
    </>
  );
}
