/** A retry budget in words. */
import type { destinationsEn } from '../../i18n/en/destinations.ts';

interface RetryBudget {
  max_attempts: number;
  initial_delay_ms: number;
  max_delay_ms: number;
}
type Words = Pick<typeof destinationsEn, 'retryNever' | 'retryText' | 'seconds' | 'minutes' | 'hours'>;

/** Each delay is twice the one before, up to the longest; the server takes between half of it and all of it, by chance. */
export function longestWaitMs({
  max_attempts: attempts,
  initial_delay_ms: first,
  max_delay_ms: longest,
}: RetryBudget): number {
  const delays = Array.from({ length: attempts }, (_, index) => Math.min(longest, first * 2 ** Math.min(index, 30)));
  return delays.reduce((sum, delay) => sum + delay, 0);
}

export function retryText(budget: RetryBudget, w: Words): string {
  const { max_attempts: attempts, initial_delay_ms: first, max_delay_ms: longest } = budget;
  if (attempts === 0) return w.retryNever;
  return w.retryText(attempts, spanText(first, w), spanText(longest, w), spanText(longestWaitMs(budget), w));
}

/** `0.5 s`, `30 s`, `4.2 min`, `8 h` */
function spanText(ms: number, w: Words): string {
  const short = (amount: number): string => String(Math.round(amount * 10) / 10);
  if (ms < 100_000) return w.seconds(short(ms / 1000));
  return ms < 6_000_000 ? w.minutes(short(ms / 60_000)) : w.hours(short(ms / 3_600_000));
}
