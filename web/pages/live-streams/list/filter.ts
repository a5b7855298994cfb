/** Which Live streams the list shows. */

export const SHOWS = ['all', 'live', 'off', 'failed'] as const;
export type Show = (typeof SHOWS)[number];

/** The specification's division: status 0 is off, all others are Live; those of 3 have failed. */
const DIVISION: Record<Show, (status: number) => boolean> = {
  all: () => true,
  live: (status) => status > 0,
  off: (status) => status === 0,
  failed: (status) => status === 3,
};

function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

interface Named {
  id: number;
  name: string;
  tags: readonly string[];
  status: number;
}

/** Those of the division whose name or a tag of it contains the text, by name; `statusOf` knows better than the row where the feed has spoken. */
export function shownRows<R extends Named>(
  rows: readonly R[],
  { search, show, tag = '' }: { search: string; show: Show; tag?: string },
  statusOf: (row: R) => number,
): R[] {
  const wanted = plain(search.trim());
  return rows
    .filter(
      (row) =>
        [row.name, ...row.tags].some((text) => plain(text).includes(wanted)) &&
        (tag === '' || row.tags.some((each) => sameTag(each, tag))) &&
        DIVISION[show](statusOf(row)),
    )
    .sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
}

/** Letter case does not count, as on the server. */
const sameTag = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Chosen or not, as the last one became; with `from`, all between them as well, in the order that is shown. */
export function withChosen(
  chosen: ReadonlySet<number>,
  id: number,
  { ids, from }: { ids: readonly number[]; from: number | undefined },
): Set<number> {
  const next = new Set(chosen);
  const [one, other] = [ids.indexOf(from ?? id), ids.indexOf(id)];
  if (from === undefined || one === -1 || other === -1) {
    if (!next.delete(id)) next.add(id);
    return next;
  }
  for (const each of ids.slice(Math.min(one, other), Math.max(one, other) + 1))
    if (chosen.has(from)) next.add(each);
    else next.delete(each);
  return next;
}

/** All tags of the rows, each once. */
export function tagsOf(rows: readonly Pick<Named, 'tags'>[]): string[] {
  const all = rows.flatMap(({ tags }) => tags);
  return all
    .filter((tag, at) => all.findIndex((each) => sameTag(each, tag)) === at)
    .sort((one, other) => one.localeCompare(other, undefined, { numeric: true }));
}
