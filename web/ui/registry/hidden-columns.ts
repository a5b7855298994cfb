/** The columns that a person does not want to see, by table; the browser remembers them. */
import { signal } from '@preact/signals';

const KEY = 'onair.hidden-columns';

type Hidden = Readonly<Record<string, readonly string[]>>;

function read(): Hidden {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return typeof found === 'object' && found !== null ? (found as Hidden) : {};
  } catch {
    // Storage is switched off, or holds what another version has written.
    return {};
  }
}

const hidden = signal(read());

export function isHidden(table: string, column: string): boolean {
  const own: unknown = hidden.value[table];
  return Array.isArray(own) && own.includes(column);
}

export function toggleColumn(table: string, column: string): void {
  const own = hidden.peek()[table] ?? [];
  const next = own.includes(column) ? own.filter((each) => each !== column) : [...own, column];
  hidden.value = { ...hidden.peek(), [table]: next };
  try {
    localStorage.setItem(KEY, JSON.stringify(hidden.peek()));
  } catch {
    // The choice holds until the page is closed.
  }
}
