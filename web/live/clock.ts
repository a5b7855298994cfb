/** The server's time, from what its messages say against this machine's clock; it moves once a second. */
import { signal } from '@preact/signals';
import { machineNow } from '../machine-clock.ts';

/** A message that was longer on its way than this says nothing about the clock. */
const MAX_DRIFT_MS = 1_500;

let offsetMs = 0;

/** Milliseconds since 1970 on the server's clock. */
export const moment = signal(machineNow());

/** The server's time at this instant, finer than `moment`. */
export function serverNow(): number {
  return machineNow() + offsetMs;
}

export function setServerTime(serverMs: number): void {
  offsetMs = serverMs - machineNow();
  moment.value = serverMs;
}

/**
 * The clocks drift apart by a second in some hours; a message that hurried most is nearest to the truth. `toldAt` is by this machine's
 * clock: the window may have been held up since.
 */
export function correctServerTime(serverMs: number, toldAt: number): void {
  const offset = serverMs - toldAt;
  if (offset > offsetMs || offsetMs - offset > MAX_DRIFT_MS) offsetMs = offset;
}

setInterval(() => {
  moment.value = serverNow();
}, 1000);
