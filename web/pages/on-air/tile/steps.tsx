/** How far a start has come, and how long it may take. */
import { useComputed } from '@preact/signals';
import { moment } from '../../../live/clock.ts';
import { secondsLeft, startSteps } from '../../../live/start-steps.ts';
import type { LivestreamStatus } from '../../../live/status.ts';
import { words } from '../words.ts';

export function Steps({ status }: { status: LivestreamStatus }) {
  const w = words.value.tile;
  const left = useComputed(() => {
    const seconds = secondsLeft(status.since, moment.value);
    return seconds === undefined ? '' : words.value.tile.within(seconds);
  });
  return (
    <div class="tile-start">
      <ol class="steps" aria-label={w.steps(status.name)}>
        {startSteps(status).map(({ step, state }) => {
          const isDone = state === 'done';
          return (
            <li key={step} data-done={isDone ? '' : undefined}>
              <span aria-hidden="true">{isDone ? '✓' : '◌'}</span> {w.step[step]}
              <span class="hidden">: {isDone ? w.stepStates.done : w.stepStates.waiting}</span>
            </li>
          );
        })}
      </ol>
      <small class="soft">{left}</small>
    </div>
  );
}
