/** Which pictures are asked for: the union of what all windows of a browser show, within what a page can paint. */

/** The tiles that one window shows. */
export interface WindowWant {
  wall: readonly number[];
  solo: number | undefined;
}

/** 40 decoded pictures a second cost 9 % of a main thread. */
const MAX_FPS = 40;
const SOLO_FPS = 10;
const WALL_FPS = 2;

export interface Wants {
  /** The parameter `want`; empty: nothing is shown. */
  text: string;
  /** From one picture of a tile to the next. */
  wallPeriodMs: number;
}

export function wantsOf(windows: Iterable<WindowWant>): Wants {
  const shown = [...windows];
  const solo = new Set(shown.flatMap((one) => one.solo ?? []));
  // The large picture is drawn into the tile, too.
  const wall = new Set(shown.flatMap((one) => one.wall).filter((id) => !solo.has(id)));
  const left = Math.max(MAX_FPS - solo.size * SOLO_FPS, SOLO_FPS);
  const fps = wall.size === 0 ? WALL_FPS : Math.min(WALL_FPS, left / wall.size);
  const rate = Math.max(0.01, Math.floor(fps * 100) / 100);
  const soloRate = Math.min(SOLO_FPS, MAX_FPS / Math.max(1, solo.size));
  const ascending = (one: number, other: number): number => one - other;
  const parts = [
    ...[...solo].sort(ascending).map((id) => `${id}:640:${Math.floor(soloRate * 100) / 100}`),
    ...[...wall].sort(ascending).map((id) => `${id}:320:${rate}`),
  ];
  return { text: parts.join(), wallPeriodMs: 1000 / rate };
}
