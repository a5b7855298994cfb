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

export interface TileSize {
  /** Place in SIZES, from which a person goes on. */
  place: number;
  /** The least width in px; the tiles of a row share what is left. */
  width: number;
}

/** The room of the wall in px. */
export interface WallSpace {
  width: number;
  height: number;
  /** Below it the words of a tile cannot be read from where the wall hangs. */
  least: number;
}

export const WALL_GAP = 12;
/** The px of a tile beside its picture: border and padding; head, state, figures and two lines of Destinations. */
const [TILE_EDGE, TILE_WORDS] = [18, 146];

/** As long as nobody has chosen one: the largest tiles that are all whole on the screen, and the least where they never are. */
export function sizeFor(count: number, { width, height, least }: WallSpace): TileSize {
  const most = Math.max(1, Math.floor((width + WALL_GAP) / (least + WALL_GAP)));
  const widthIn = (columns: number): number => Math.floor((width - WALL_GAP * (columns - 1)) / columns);
  let columns = 1;
  while (columns < most && heightOf(widthIn(columns)) * Math.ceil(count / columns) > height + WALL_GAP) columns += 1;
  const found = widthIn(columns);
  return {
    place: Math.max(
      0,
      SIZES.findLastIndex((size) => size <= found),
    ),
    width: found,
  };
}

/** A tile and the gap below it. */
const heightOf = (width: number): number => ((width - TILE_EDGE) * 9) / 16 + TILE_WORDS + WALL_GAP;
