/** The tile that acts go to, the dialog that is open, and an act that waits for its second press. */
import { signal } from '@preact/signals';

/** A second press within this time does it. */
const ARMED_MS = 5_000;

/** Stays while focus is in its toolbar. */
export const focusedId = signal<number | undefined>(undefined);

export type OpenDialog =
  | { kind: 'stop' | 'text' | 'logo' | 'source' | 'paths' | 'sheet' | 'end-recording' | 'note'; id: number }
  | { kind: 'solo'; id: number; tab: SoloTab; listens?: boolean }
  | { kind: 'last-path'; id: number; publishingId: number; path: 'primary' | 'backup' }
  | { kind: 'key'; id: number; publishingId: number }
  | { kind: 'clip'; id: number; from: number; to: number };

export const SOLO_TABS = ['destinations', 'source', 'graphics', 'cues', 'next', 'events', 'figures'] as const;
export type SoloTab = (typeof SOLO_TABS)[number];

/** The last one is on top: solo stays below what it opens. */
export const openDialogs = signal<readonly OpenDialog[]>([]);

export function openDialog(dialog: OpenDialog): void {
  disarm();
  openDialogs.value = [...openDialogs.peek(), dialog];
}

export function closeDialog(dialog: OpenDialog): void {
  openDialogs.value = openDialogs.peek().filter((each) => each !== dialog);
}

interface Armed {
  id: number;
  act: string;
  fire: () => void;
}

export const armed = signal<Armed | undefined>(undefined);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Nothing waits for a second press any more. */
export function disarm(): void {
  clearTimeout(timer);
  armed.value = undefined;
}

/** The first press arms, the second of the same act does it. */
export function pressTwice(next: Armed): void {
  const before = armed.peek();
  disarm();
  if (before?.id === next.id && before.act === next.act) {
    next.fire();
    return;
  }
  armed.value = next;
  timer = setTimeout(() => (armed.value = undefined), ARMED_MS);
}

/** Enter, while an act of the stream waits; false: none does. */
export function confirmArmed(id: number | undefined): boolean {
  const waiting = armed.peek();
  if (waiting === undefined || waiting.id !== id) return false;
  pressTwice(waiting);
  return true;
}
