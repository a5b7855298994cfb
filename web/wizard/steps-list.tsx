/** The steps of the set-up, and what has become of each. */
import { plainText } from './plain-problem.ts';
import { isBusy, progress, pushedBy, steps } from './set-up.ts';
import type { Step } from './steps.ts';
import { words } from './words.ts';

const MARKS = { done: '●', planned: '○', failed: '✕', skipped: '–', now: '◌', waiting: '○' };
const CLASSES = { done: 'ok', planned: 'soft', failed: 'fault', skipped: 'soft', now: '', waiting: 'soft' };

export function Steps() {
  const w = words.value;
  if (steps.value.length === 0) return null;
  return (
    <ol class="wizard-steps" aria-label={w.steps} aria-busy={isBusy.value}>
      {steps.value.map((step, place) => (
        <StepItem key={place} step={step} />
      ))}
    </ol>
  );
}

function StepItem({ step: { operationId, state, name, detail } }: { step: Step }) {
  const w = words.value;
  const percent = Math.round((progress.value ?? 0) * 100);
  // Its address and key stand above.
  const isPushed = operationId === 'addChannel' && pushedBy.value !== '';
  const text = isPushed || detail === undefined ? '' : plainText(detail);
  const isSending = isBusy.value && operationId === 'uploadAsset' && state === 'now';
  return (
    <li data-state={state}>
      <span class={CLASSES[state]} aria-hidden="true">
        {MARKS[state]}
      </span>
      <strong>{w.operations[operationId]}</strong>
      <span class={CLASSES[state]}>{w.states[state]}</span>
      {isSending && <progress aria-label={w.operations.uploadAsset} max={100} value={percent} />}
      <span class="soft">
        {name}
        {name && text && ': '}
        <span lang="en">{text}</span>
      </span>
    </li>
  );
}
