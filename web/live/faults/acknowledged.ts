/** Acknowledged troubles: all windows of this browser know them, and a reload does not forget. */
import { signal } from '@preact/signals';

const KEY = 'onair.acknowledged';
/** More than any wall has troubles at once. */
const MAX_KEPT = 500;

function read(): ReadonlyMap<string, string> {
  try {
    const rows = JSON.parse(localStorage.getItem(KEY) ?? '[]') as unknown;
    return new Map(Array.isArray(rows) ? (rows as [string, string][]) : []);
  } catch {
    // Storage is switched off, or has something else under this name.
    return new Map();
  }
}

/** The state that was acknowledged, by the key of its row. */
export const acknowledged = signal(read());

export function keepAcknowledged(next: ReadonlyMap<string, string>): void {
  acknowledged.value = next;
  try {
    localStorage.setItem(KEY, JSON.stringify([...next].slice(-MAX_KEPT)));
  } catch {
    // It holds in this window until the page is closed.
  }
}

addEventListener('storage', ({ key }) => {
  if (key === KEY) acknowledged.value = read();
});
