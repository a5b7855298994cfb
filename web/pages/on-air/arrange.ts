/** The order of the tiles: by name, by hand, or by Device. A stream keeps its place whatever happens to it. */
export const ORDERS = ['name', 'hand', 'device'] as const;
export type Order = (typeof ORDERS)[number];

export interface Placed {
  id: number;
  name: string;
  device: string;
  slot: number | null;
}

const byName = (one: Placed, other: Placed): number =>
  one.name.localeCompare(other.name, undefined, { numeric: true }) || one.id - other.id;

export function arranged(streams: readonly Placed[], order: Order, hand: readonly number[]): number[] {
  const named = [...streams].sort(byName);
  if (order === 'device') {
    named.sort(
      (one, other) =>
        one.device.localeCompare(other.device, undefined, { numeric: true }) ||
        (one.slot ?? 0) - (other.slot ?? 0) ||
        byName(one, other),
    );
  } else if (order === 'hand') {
    // What nobody has placed yet stands behind the others.
    const place = new Map(hand.map((id, index) => [id, index]));
    named.sort(
      (one, other) => (place.get(one.id) ?? hand.length) - (place.get(other.id) ?? hand.length) || byName(one, other),
    );
  }
  return named.map(({ id }) => id);
}

/** The order by hand after one was moved among those that are shown. */
export function moved(shown: readonly number[], id: number, by: 1 | -1): number[] {
  const from = shown.indexOf(id);
  const to = from + by;
  if (from === -1 || to < 0 || to >= shown.length) return [...shown];
  const next = shown.filter((each) => each !== id);
  next.splice(to, 0, id);
  return next;
}

/** Widths of tiles in px. */
export const SIZES = [160, 220, 320, 480] as const;

interface TileSize {
  /** Place in SIZES, from which a person goes on. */
  place: number;
  /** The least width in px; the tiles of a row share what is left. */
  width: number;
}

/** As long as nobody has chosen one, a few tiles use the whole screen: two of up to four, three of five or six stand beside each other at 1440 px. */
export function sizeFor(count: number): TileSize {
  if (count <= 4) return { place: 3, width: 380 };
  return count <= 6 ? { place: 2, width: 300 } : { place: 1, width: 220 };
}
