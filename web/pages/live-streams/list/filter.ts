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
  status: number;
}

/** Those of the division whose name contains the text, by name; `statusOf` knows better than the row where the feed has spoken. */
export function shownRows<R extends Named>(
  rows: readonly R[],
  { search, show }: { search: string; show: Show },
  statusOf: (row: R) => number,
): R[] {
  const wanted = plain(search.trim());
  return rows
    .filter((row) => plain(row.name).includes(wanted) && DIVISION[show](statusOf(row)))
    .sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
}
