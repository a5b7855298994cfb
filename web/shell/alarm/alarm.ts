/** Sounds the tone until somebody has acknowledged what it is for: a fault, or that this page hears nothing more. */
import { computed, effect, signal } from '@preact/signals';
import { isLeaving, session } from '../../api/session.ts';
import { openFaults } from '../../live/attention.ts';
import { isStale } from '../../live/streams.ts';
import { alarmTone } from '../../prefs.ts';
import { soundAlarm } from './alarm-tone.ts';

/** Long enough to speak between two. */
const REPEAT_MS = 6_000;
/** A line that is lost for a moment comes back before the first tone. */
const LOSS = 'loss';

const isLossKnown = signal(false);
effect(() => {
  if (!isStale.value) isLossKnown.value = false;
});

/** Whether the loss of the feed waits for somebody to say that it is known. */
export const isLossOpen = computed(
  () => isStale.value && !isLossKnown.value && session.value != null && !isLeaving.value,
);

export function acknowledgeLoss(): void {
  isLossKnown.value = true;
}

/** A text, so that what is the same is no change. */
const due = computed(() => (isStale.value ? (isLossOpen.value ? LOSS : '') : openFaults.value.join('\n')));
let before: readonly string[] = [];
let timer: ReturnType<typeof setInterval> | undefined;

effect(() => {
  const reasons = due.value === '' || alarmTone.value === 'off' ? [] : due.value.split('\n');
  clearInterval(timer);
  if (reasons.some((reason) => reason !== LOSS && !before.includes(reason))) soundAlarm();
  before = reasons;
  if (reasons.length > 0) timer = setInterval(soundAlarm, REPEAT_MS);
});
