/** Recordings as bars: a line for each Live stream, one scale for all. */
export interface Recorded {
  id: number;
  livestreamId: number;
  livestream_name: string;
  name: string;
  status: string;
  started_at: string;
  ended_at: string | null;
}

export interface Bar {
  id: number;
  name: string;
  status: string;
  /** Share of the width, 0 to 1. */
  from: number;
  width: number;
}

export interface Line {
  livestreamId: number;
  name: string;
  bars: Bar[];
}

export interface Scale {
  from: number;
  to: number;
}

/** A bar that is thinner cannot be hit by a pointer. */
const MIN_WIDTH = 0.006;

/** From the first beginning to the last end, one that is still written ends now; a little room on either side. */
export function scaleOf(rows: readonly Recorded[], now: number): Scale | undefined {
  if (rows.length === 0) return undefined;
  const from = Math.min(...rows.map(({ started_at }) => Date.parse(started_at)));
  const to = Math.max(...rows.map(({ ended_at }) => (ended_at === null ? now : Date.parse(ended_at))), from + 60_000);
  const room = (to - from) * 0.01;
  return { from: from - room, to: to + room };
}

/** In the order of the streams' names, as people count. */
export function linesOf(rows: readonly Recorded[], { from, to }: Scale, now: number): Line[] {
  const lines = new Map<number, Line>();
  const share = (instant: number): number => Math.min(1, Math.max(0, (instant - from) / (to - from)));
  for (const row of rows) {
    const begin = share(Date.parse(row.started_at));
    const end = share(row.ended_at === null ? now : Date.parse(row.ended_at));
    const width = Math.max(MIN_WIDTH, end - begin);
    const line = lines.get(row.livestreamId) ?? { livestreamId: row.livestreamId, name: row.livestream_name, bars: [] };
    line.bars.push({ id: row.id, name: row.name, status: row.status, from: Math.min(begin, 1 - width), width });
    lines.set(row.livestreamId, line);
  }
  return [...lines.values()].sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
}

const STEPS_MS = [1, 5, 15, 60, 180, 360, 720, 1440, 2880, 10_080, 43_200, 129_600].map((minutes) => minutes * 60_000);

/** Instants for the axis, at most `most` of them, at whole steps of the zone whose offset from UTC is given. */
export function ticksOf({ from, to }: Scale, most: number, offsetMs: number): number[] {
  const step = STEPS_MS.find((each) => (to - from) / each <= most) ?? STEPS_MS.at(-1)!;
  const first = Math.ceil((from + offsetMs) / step) * step - offsetMs;
  const ticks: number[] = [];
  for (let tick = first; tick <= to; tick += step) ticks.push(tick);
  return ticks;
}
