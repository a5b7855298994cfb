/** From what a person says (an id, a name, the start of a name, nearly a name) to one row. */
import type { CollectionName, CollectionRows } from '../domain/collections.ts';
import { AppError } from '../domain/errors.ts';
import type { Store } from '../domain/store.ts';
import { editDistance, nearestNames } from './catalogue.ts';
import { stripInvisible } from './visible.ts';

export interface Named {
  readonly id: number;
  readonly name: string;
}

type NamedCollection = { [C in CollectionName]: CollectionRows[C] extends Named ? C : never }[CollectionName];

/** One error in five letters is a slip; more is another name. */
const SLIP_SHARE = 0.2;
/** Matches listed in an error; more would not be read. */
const LISTED = 10;

/** Throws AppError not_found that names the nearest three, or conflict that lists the matches. */
export async function resolveRow<C extends NamedCollection>(
  store: Pick<Store, 'get' | 'find'>,
  collection: C,
  noun: string,
  wanted: string,
): Promise<Readonly<CollectionRows[C]>> {
  const id = /^\s*#?(\d{1,15})\s*$/u.exec(wanted)?.[1];
  const byId = id === undefined ? undefined : await store.get(collection, Number(id));
  if (byId !== undefined) return byId.row;
  const exact = await store.find(collection, { where: { name: wanted.trim() }, limit: 1 });
  if (exact.rows[0] !== undefined) return exact.rows[0];
  const rows = (await store.find(collection, {})).rows as readonly (Readonly<CollectionRows[C]> & Named)[];
  // An id that is gone must not become the broadcast that happens to have the digit in its name.
  if (id !== undefined) throw unknownName(wanted, rows, noun);
  return matchName(wanted, rows, noun);
}

/** Exact, then a unique prefix, then a close match: the words in any order, part of the name, or a slip of the finger. */
export function matchName<T extends Named>(wanted: string, rows: readonly T[], noun: string): T {
  const said = spoken(wanted);
  const named = rows.map((row) => ({ row, name: spoken(row.name) }));
  const words = said.split(' ');
  const steps: ((name: string) => boolean)[] = [
    (name) => name === said,
    (name) => name.startsWith(said),
    (name) => name.includes(said) || words.every((word) => name.split(' ').includes(word)),
  ];
  for (const matches of said === '' ? [] : steps) {
    const found = named.filter(({ name }) => matches(name)).map(({ row }) => row);
    if (found.length > 0) return only(found, wanted, noun);
  }
  const slips = closest(said, named);
  if (slips.length > 0) return only(slips, wanted, noun);
  throw unknownName(wanted, rows, noun);
}

/** Case, spacing, composition and invisible characters are not part of what was said. */
function spoken(text: string): string {
  return stripInvisible(text)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/gu, ' ')
    .trim();
}

function closest<T extends Named>(said: string, named: readonly { row: T; name: string }[]): T[] {
  const allowed = Math.floor(said.length * SLIP_SHARE);
  const near = named
    // A length that differs by more than the bound cannot be within it: spares the distance of most names.
    .filter(({ name }) => Math.abs(name.length - said.length) <= allowed)
    .map(({ row, name }) => ({ row, distance: editDistance(said, name) }))
    .filter(({ distance }) => distance <= allowed);
  const best = Math.min(...near.map(({ distance }) => distance));
  return near.filter(({ distance }) => distance === best).map(({ row }) => row);
}

function only<T extends Named>(found: readonly T[], wanted: string, noun: string): T {
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const matches = found.slice(0, LISTED).map(({ id, name }) => ({ id, name: stripInvisible(name) }));
  const listed = matches.map(({ id, name }) => `${id} "${name}"`).join(', ');
  const more = found.length > LISTED ? ` and ${found.length - LISTED} more` : '';
  throw new AppError(
    'conflict',
    `${quoted(wanted)} fits several: ${listed}${more}. Repeat the call with the id of one ${noun}.`,
    {
      facts: { matches },
    },
  );
}

function unknownName(wanted: string, rows: readonly Named[], noun: string): AppError {
  const names = nearestNames(wanted, rows.map(({ name }) => name)); // prettier-ignore
  const nearest = rows
    .filter(({ name }) => names.includes(name))
    .map(({ id, name }) => ({ id, name: stripInvisible(name) }));
  const hint =
    nearest.length === 0
      ? 'None exists yet.'
      : `The nearest are ${nearest.map(({ id, name }) => `${id} "${name}"`).join(', ')}.`;
  return new AppError('not_found', `There is no ${noun} ${quoted(wanted)}. ${hint}`, {
    facts: { resource: noun, nearest },
  });
}

function quoted(wanted: string): string {
  return JSON.stringify(stripInvisible(wanted).slice(0, 100));
}
