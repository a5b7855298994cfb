/** Prolongs the session while the page is open and somebody is active, or it is a monitor on the wall; another page that nobody uses runs out. */
import { effect } from '@preact/signals';
import { API_ROOT } from './client.ts';
import { session } from './session.ts';

const EVERY_MS = 30 * 60_000;

let renewedAt = 0;

/** Renews at the first sign of a person after half an hour: at an idle screen there is none. */
function active(): void {
  const { csrfToken } = session.peek() ?? {};
  if (csrfToken === undefined || performance.now() - renewedAt < EVERY_MS) return;
  renewedAt = performance.now();
  // A failure waits for the next half hour: the session lasts for many.
  void fetch(`${API_ROOT}/security/renew`, { method: 'POST', headers: { 'X-CSRF-Token': csrfToken } }).catch(
    () => undefined,
  );
}

/** `isMonitor`: people look at it and touch nothing. */
export function keepSession(isMonitor: () => boolean): void {
  for (const event of ['pointerdown', 'keydown'] as const) addEventListener(event, active, { passive: true });
  setInterval(() => {
    if (isMonitor() && document.visibilityState === 'visible') active();
  }, EVERY_MS / 10);
  let user: string | undefined;
  effect(() => {
    const next = session.value?.user;
    if (next !== user) renewedAt = performance.now();
    user = next;
  });
}
