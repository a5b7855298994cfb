/**
 * Whether a Device group would carry the loss of some of its Devices. All sizes are in slots of the Device that they are on, so that Devices of
 * different speed can be compared.
 */
export interface GroupRun {
  slots: number;
  /** Its place among all runs of the group in the order of moves, from 0. */
  rank: number;
}

export interface GroupMember {
  /** Slots that may still be promised. */
  free: number;
  /** Slots that may be promised when nothing runs. */
  whole: number;
  runs: readonly GroupRun[];
}

interface Group {
  members: readonly GroupMember[];
  /** Runs on Devices of the group that are gone already, or out of use. */
  homeless: readonly GroupRun[];
}

/** So many placements of a Device's runs on another one may be tried for one answer, which takes some 10 ms. */
const MAX_TRIALS = 250_000;

/**
 * Whether every run has a place after any `losses` of the members are gone, moved one after the other to the least loaded of the others. Where
 * a group is so large that not every loss can be tried, it answers false unless room is certain.
 */
export function carriesLosses(group: Group, losses: number): boolean {
  const { members, homeless } = group;
  const all = [...homeless, ...members.flatMap(({ runs }) => runs)];
  if (all.length === 0) return true;
  if (losses >= members.length) return false;
  if (hasWholeRooms(group, losses, Math.max(...all.map(({ slots }) => slots)))) return true;
  if (isTooMuch(group, losses)) return false;
  if (choicesOf(members.length, losses) * members.length > MAX_TRIALS) return false;
  return subsetsOf(members.length, losses).every((lost) => isPlaced(group, lost));
}

/** Each run counts as the dearest one. A Device that has no room for a run has taken as many before, whatever their order was. */
function hasWholeRooms({ members, homeless }: Group, losses: number, dearest: number): boolean {
  const rooms = members.map(({ free }) => Math.floor(free / dearest + ROUNDING));
  const lost = largestOf(
    members.map(({ runs }, at) => runs.length + rooms[at]!),
    losses,
  );
  return homeless.length + lost <= sumOf(rooms);
}

/** Not even runs that could be divided would have their place. */
function isTooMuch({ members, homeless }: Group, losses: number): boolean {
  const lost = largestOf(
    members.map(({ free, runs }) => free + loadOf(runs)),
    losses,
  );
  return loadOf(homeless) + lost > sumOf(members.map(({ free }) => free)) + ROUNDING;
}

/** Sums of cores are off by less. */
const ROUNDING = 1e-9;

function isPlaced({ members, homeless }: Group, lost: readonly number[]): boolean {
  const left = members.filter((_, at) => !lost.includes(at)).map(({ free, whole }) => ({ free, whole }));
  const moved = [...homeless, ...lost.flatMap((at) => members[at]!.runs)].sort((a, b) => a.rank - b.rank);
  return moved.every(({ slots }) => {
    const [place] = left
      .filter(({ free }) => free + ROUNDING >= slots)
      .sort((a, b) => b.free / b.whole - a.free / a.whole || b.free - a.free);
    if (place !== undefined) place.free -= slots;
    return place !== undefined;
  });
}

function loadOf(runs: readonly GroupRun[]): number {
  return sumOf(runs.map(({ slots }) => slots));
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function largestOf(values: readonly number[], count: number): number {
  return sumOf([...values].sort((a, b) => b - a).slice(0, count));
}

function choicesOf(from: number, count: number): number {
  let choices = 1;
  for (let at = 0; at < count; at += 1) choices = (choices * (from - at)) / (at + 1);
  return choices;
}

/** All choices of `count` indexes below `from`. */
function subsetsOf(from: number, count: number, first = 0): number[][] {
  if (count === 0) return [[]];
  return Array.from({ length: from - first }, (_, at) => first + at).flatMap((index) =>
    subsetsOf(from, count - 1, index + 1).map((rest) => [index, ...rest]),
  );
}
