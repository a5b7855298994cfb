/** The server's time, from its offset against this machine's clock; it moves once a second. */
import { signal } from '@preact/signals';

let offsetMs = 0;

/** Milliseconds since 1970 on the server's clock. */
export const moment = signal(Date.now());

export function setServerTime(serverMs: number): void {
  offsetMs = serverMs - Date.now();
  moment.value = serverMs;
}

setInterval(() => {
  moment.value = Date.now() + offsetMs;
}, 1000);
