import { systemClock, type Clock } from './clock.ts';

const LATE = Symbol('late');

/**
 * Settles as `promise` does within `ms` milliseconds; after that with the answer of `onLate`, or with what it throws, also where `promise`
 * settles by what `onLate` does. A promise that is late goes on by itself, and a later rejection of it is no unhandled one.
 */
export async function withDeadline<T, L>(
  promise: Promise<T>,
  ms: number,
  onLate: () => L | Promise<L>,
  clock: Pick<Clock, 'after'> = systemClock,
): Promise<T | L> {
  let cancel = (): void => undefined;
  const late = new Promise<typeof LATE>((resolve) => (cancel = clock.after(ms, () => resolve(LATE))));
  try {
    const first = await Promise.race([promise, late]);
    return first === LATE ? await onLate() : first;
  } finally {
    cancel();
  }
}
