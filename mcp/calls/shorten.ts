/** Shortens an answer that is too long for a text where it is longest, so that its name and its short fields stay whole. */
type Fields = Record<string, unknown>;

const lengthOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

/**
 * `value` in at most `room` characters of JSON; undefined where nothing of it fits. `cut` gets the paths that were shortened, and the number
 * of elements that are left of each list.
 */
export function shorten(value: unknown, room: number, path: string, cut: string[]): unknown {
  if (lengthOf(value) <= room) return value;
  if (Array.isArray(value)) return shortenList(value, room, path, cut);
  if (typeof value === 'object' && value !== null) return shortenObject(value as Fields, room, path, cut);
  return undefined;
}

function shortenList(items: readonly unknown[], room: number, path: string, cut: string[]): unknown[] | undefined {
  let size = 2;
  const over = items.findIndex((item) => (size += lengthOf(item) + 1) - 1 > room);
  if (over === 0) return undefined;
  cut.push(`${path} (${over} of ${items.length})`);
  return items.slice(0, over);
}

function shortenObject(value: Fields, room: number, path: string, cut: string[]): Fields | undefined {
  const rest = { ...value };
  while (lengthOf(rest) > room) {
    const [[name, longest] = []] = Object.entries(rest).sort(([, a], [, b]) => lengthOf(b) - lengthOf(a));
    if (name === undefined) return undefined;
    const left = room - (lengthOf(rest) - lengthOf(longest));
    const [here, within] = [path === '' ? name : `${path}.${name}`, [] as string[]];
    const inner = shorten(longest, left, here, within);
    if (inner === undefined) delete rest[name];
    else rest[name] = inner;
    cut.push(...(inner === undefined ? [here] : within));
  }
  return rest;
}
