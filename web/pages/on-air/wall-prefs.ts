/** How this browser lays out its wall. */
import { effect, signal, type Signal } from '@preact/signals';

export const ORDERS = ['name', 'hand', 'device'] as const;
export type Order = (typeof ORDERS)[number];
/** Widths of tiles in px. */
export const SIZES = [160, 220, 320, 480] as const;

interface WallPrefs {
  order: Order;
  size: number;
  /** Ids in the order that somebody gave them. */
  hand: readonly number[];
}

const KEY = 'onair.wall';

function read(): WallPrefs {
  const otherwise: WallPrefs = { order: 'name', size: 1, hand: [] };
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<WallPrefs>;
    return {
      order: ORDERS.find((order) => order === found.order) ?? otherwise.order,
      size: SIZES[found.size ?? -1] === undefined ? otherwise.size : found.size!,
      hand: Array.isArray(found.hand) ? found.hand.filter((id) => typeof id === 'number') : [],
    };
  } catch {
    // Storage is switched off, or has something else under this name.
    return otherwise;
  }
}

export const wallPrefs: Signal<WallPrefs> = signal(read());

effect(() => {
  const text = JSON.stringify(wallPrefs.value);
  try {
    localStorage.setItem(KEY, text);
  } catch {
    // It holds until the page is closed.
  }
});

export function resize(by: 1 | -1): void {
  const size = Math.max(0, Math.min(SIZES.length - 1, wallPrefs.peek().size + by));
  wallPrefs.value = { ...wallPrefs.peek(), size };
}
