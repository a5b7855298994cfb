/** How this browser lays out its wall. */
import { computed, effect, signal, type Signal } from '@preact/signals';
import { streamIds } from '../../live/streams.ts';
import { ORDERS, sizeFor, SIZES, type Order, type WallSpace } from './arrange.ts';

interface WallPrefs {
  order: Order;
  /** Place in SIZES; undefined until somebody has chosen one. */
  size: number | undefined;
  /** Ids in the order that somebody gave them. */
  hand: readonly number[];
}

const KEY = 'onair.wall';

function read(): WallPrefs {
  const otherwise: WallPrefs = { order: 'name', size: undefined, hand: [] };
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<WallPrefs>;
    return {
      order: ORDERS.find((order) => order === found.order) ?? otherwise.order,
      size: SIZES[found.size ?? -1] === undefined ? otherwise.size : found.size,
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

/** Until the wall has been measured: that of a small screen. */
const space = signal<WallSpace>({ width: 800, height: 520, least: 190 });

/** The bar of acts stays on the screen, and so does all that is above the wall. */
const BAR_PX = 66;
/** A person before the page, and people before a monitor. */
const MIN_WIDTH = { acts: 190, monitor: 140 };
/** As wide as any: whether the page has a bar to scroll by must not follow from the size that it has led to. */
const SCROLLBAR_PX = 16;

export function measureWall(wall: HTMLElement, isMonitor: boolean): void {
  const bar = innerWidth - document.documentElement.clientWidth;
  const width = wall.clientWidth - SCROLLBAR_PX + bar;
  const height = innerHeight - (wall.getBoundingClientRect().top + scrollY) - (isMonitor ? 0 : BAR_PX);
  const least = isMonitor ? MIN_WIDTH.monitor : MIN_WIDTH.acts;
  const before = space.peek();
  if (before.width !== width || before.height !== height || before.least !== least)
    space.value = { width, height, least };
}

/** The size of the tiles as they are shown. */
export const tileSize = computed(() => {
  const { size: place } = wallPrefs.value;
  return place === undefined
    ? sizeFor(streamIds.value.length, space.value)
    : { place, width: SIZES[place] ?? SIZES[1] };
});

export function resize(by: 1 | -1): void {
  const size = Math.max(0, Math.min(SIZES.length - 1, tileSize.peek().place + by));
  wallPrefs.value = { ...wallPrefs.peek(), size };
}
