import { systemClock, type Clock } from './clock.ts';

/**
 * Settles as `promise` does within `ms` milliseconds; after that with the answer of `onLate`, or with what it throws. A promise that is late
 * goes on by itself, and a later rejection of it is no unhandled one.
 */
export async function withDeadline<T, L>(
  promise: Promise<T>,
  ms: number,
  onLate: () => L | Promise<L>,
  clock: Pick<Clock, 'after'> = systemClock,
): Promise<T | L> {
  let cancel = (): void => undefined;
  const late = new Promise<void>((resolve) => (cancel = clock.after(ms, resolve)));
  try {
    return await Promise.race([promise, late.then(onLate)]);
  } finally {
    cancel();
  }
}
