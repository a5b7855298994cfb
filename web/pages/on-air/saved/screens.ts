/** A wall with more tiles than its layout has places is shown screen by screen. */

/** How long one of several is shown. */
export const SCREEN_MS = 10_000;

export interface Screen<T> {
  tiles: readonly T[];
  /** From 1. */
  number: number;
  count: number;
}

/** `turned` counts the turns of the page, back and forth, without an end. */
export function screenOf<T>(tiles: readonly T[], layout: number, turned: number): Screen<T> {
  const count = Math.max(1, Math.ceil(tiles.length / layout));
  const at = ((turned % count) + count) % count;
  return { tiles: tiles.slice(at * layout, (at + 1) * layout), number: at + 1, count };
}
