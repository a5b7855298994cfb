/** Messages in passing: toasts with their undo, and the two live regions. The shell shows all three. */
import { signal } from '@preact/signals';

export interface Notice {
  id: number;
  text: string;
  /** Takes the act back; the toast's button Undo calls it. */
  undo: (() => unknown) | undefined;
}

const NOTICE_MS = 8000;
/** A polite region that changes faster is read in pieces. */
const POLITE_MS = 2000;
const ALERT_MS = 10_000;

export const notices = signal<readonly Notice[]>([]);
/** The text of the status Changes. */
export const changesText = signal('');
/** The text of the alert for faults; while it is empty the alert is absent. */
export const faultText = signal('');

let count = 0;

/** Shows a toast for 8 s and says it politely. Returns what takes it away. */
export function notify(text: string, undo?: () => unknown): () => void {
  count += 1;
  const notice: Notice = { id: count, text, undo };
  notices.value = [...notices.peek(), notice].slice(-4);
  announce(text);
  const remove = (): void => {
    notices.value = notices.peek().filter(({ id }) => id !== notice.id);
  };
  setTimeout(remove, NOTICE_MS);
  return remove;
}

export function removeNotice(id: number): void {
  notices.value = notices.peek().filter((notice) => notice.id !== id);
}

let waiting: string[] = [];
let politeTimer: ReturnType<typeof setTimeout> | undefined;

function speak(): void {
  politeTimer = undefined;
  if (waiting.length === 0) return;
  changesText.value = [...new Set(waiting)].join('. ');
  waiting = [];
  politeTimer = setTimeout(speak, POLITE_MS);
}

/** Says a change politely, merged with the others of two seconds. */
export function announce(text: string): void {
  waiting.push(text);
  politeTimer ??= setTimeout(speak, 0);
}

let alertTimer: ReturnType<typeof setTimeout> | undefined;

/** Says a fault at once. */
export function announceFault(text: string): void {
  faultText.value = faultText.peek() === '' ? text : `${faultText.peek()}. ${text}`;
  clearTimeout(alertTimer);
  alertTimer = setTimeout(() => (faultText.value = ''), ALERT_MS);
}
