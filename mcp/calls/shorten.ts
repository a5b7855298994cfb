/** Shortens an answer to what a model may be charged for, where it is longest; every field stays, so that it still fits its schema. */
type Fields = Record<string, unknown>;

/** Names, instants and addresses stay whole. */
const MIN_TEXT = 120;
/** Space for the note, which is in what is counted. */
const MAX_NOTE = 400;

const lengthOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

/** `body` in at most `room` characters of JSON, with a `note` of what was left out and how to get it; `body` itself where it fits. */
export function shortened(body: Fields, room: number): Fields {
  if (lengthOf(body) <= room) return body;
  const [left, cut] = [room - MAX_NOTE, [] as string[]];
  const rest = Array.isArray(body['rows']) ? shortenPage(body, body['rows'], left, cut) : undefined;
  if (rest !== undefined) return rest;
  const short = shorten(body, left, '', cut) as Fields;
  return noted(
    short,
    `Shortened here: ${cut.join(', ')}. The operations of what it is about answer the rest in pages.`,
  );
}

/** Whole rows, and the page behind the last of them; undefined for rows that are no page. */
function shortenPage(body: Fields, rows: readonly unknown[], room: number, cut: string[]): Fields | undefined {
  const { page, pageSize } = (body['pagination'] ?? {}) as { page?: number; pageSize?: number };
  if (page === undefined || pageSize === undefined) return undefined;
  let left = room - lengthOf({ ...body, rows: [] });
  const over = rows.findIndex((row) => (left -= lengthOf(row) + 1) < 0);
  const kept = over === 0 ? [shorten(rows[0], left + lengthOf(rows[0]), '', cut)] : rows.slice(0, over);
  const size = kept.length;
  // No row is lost where the pages of that size have other bounds; some are shown again.
  const next = Math.floor(((page - 1) * pageSize + size) / size) + 1;
  const what = size === 1 ? 'the first' : `${size}`;
  const within = cut.length === 0 ? '' : `, and that shortened in ${cut.join(', ')}`;
  return noted(
    { ...body, rows: kept },
    `Only ${what} of the ${rows.length} rows of this page fit${size === 1 ? 's' : ''} here${within}. Go on with pageSize ${size} and page ${next}, or name fewer fields.`,
  );
}

function noted(body: Fields, note: string): Fields {
  return { ...body, note: note.length > MAX_NOTE - 20 ? `${note.slice(0, MAX_NOTE - 21)}…` : note };
}

/** `cut` gets the paths that were shortened, and the number of elements that are left of each list. */
export function shorten(value: unknown, room: number, path: string, cut: string[]): unknown {
  if (lengthOf(value) <= room) return value;
  if (Array.isArray(value)) return shortenList(value, room, path, cut);
  if (typeof value === 'object' && value !== null) return shortenObject(value as Fields, room, path, cut);
  if (typeof value !== 'string' || value.length <= MIN_TEXT) return value;
  cut.push(path);
  return shortenText(value, room);
}

function shortenText(text: string, room: number): string {
  const kept = text.slice(0, Math.max(MIN_TEXT, room));
  // Quotation marks and line breaks take more space in JSON.
  const over = Math.max(0, lengthOf(kept) + 1 - room);
  return `${kept.slice(0, Math.max(MIN_TEXT, kept.length - over)).replace(/\p{Cs}$/u, '')}…`;
}

function shortenList(items: readonly unknown[], room: number, path: string, cut: string[]): unknown[] {
  let size = 2;
  const over = items.findIndex((item) => (size += lengthOf(item) + 1) - 1 > room);
  const [within, first] = [[] as string[], items[0]];
  const only = over === 0 && typeof first === 'object' ? shorten(first, room - 2, `${path}.0`, within) : undefined;
  const kept = over > 0 ? items.slice(0, over) : only !== undefined && lengthOf(only) <= room - 2 ? [only] : [];
  if (kept.length < items.length) cut.push(`${path} (${kept.length} of ${items.length})`);
  if (kept.length === 1 && over === 0) cut.push(...within);
  return kept;
}

/** The longest values give way first. */
function shortenObject(value: Fields, room: number, path: string, cut: string[]): Fields {
  const rest = { ...value };
  const names = Object.keys(value).sort((a, b) => lengthOf(value[b]) - lengthOf(value[a]));
  for (const name of names) {
    const over = lengthOf(rest) - room;
    if (over <= 0) break;
    rest[name] = shorten(rest[name], lengthOf(rest[name]) - over, path === '' ? name : `${path}.${name}`, cut);
  }
  return rest;
}
