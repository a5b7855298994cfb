/** Resolves a person's words (an id, a name, the start of a name, nearly a name) to one row. */
import type { CollectionName, CollectionRows } from '../../domain/collections.ts';
import { AppError } from '../../domain/errors.ts';
import type { Store } from '../../domain/store.ts';
import { nearestNames } from '../catalogue.ts';
import { plainName, rowsNamed, spokenId } from './names.ts';
import { stripInvisible } from '../output/visible.ts';

export interface Named {
  readonly id: number;
  readonly name: string;
  /** The kind of thing, where rows of several kinds are matched together. */
  readonly kind?: string;
}

type NamedCollection = { [C in CollectionName]: CollectionRows[C] extends Named ? C : never }[CollectionName];

/** The operation that adds the first row of a noun. */
const ADDED_BY: Readonly<Record<string, string>> = {
  'Live stream': 'addLivestream',
  Channel: 'addChannel',
  Publishing: 'addPublishing',
  'Publishing group': 'addPublishingGroup',
  Encoding: 'addEncoding',
  'Encoding group': 'addEncodingGroup',
  Schedule: 'addSchedule',
  Device: 'addDevice',
  'Device group': 'createDeviceGroup',
  'Cloud account': 'addCloudAccount',
};

/** Nobody reads an error with more matches than this. */
const MAX_MATCHES = 10;

/** The one row that is meant. Throws AppError not_found that names the nearest three, or conflict that lists the matches. */
export async function resolveRow<C extends NamedCollection>(
  store: Pick<Store, 'get' | 'find'>,
  collection: C,
  noun: string,
  wanted: string,
): Promise<Readonly<CollectionRows[C]>> {
  const id = bareId(wanted);
  const byId = id === undefined ? undefined : (await store.get(collection, id))?.row;
  // `#7` is an id and never a name: the mark tells it from a thing that is called 7.
  if (byId !== undefined && isMarked(wanted)) return byId;
  const exact = (await store.find(collection, { where: { name: wanted.trim() }, limit: 1 })).rows[0];
  if (byId !== undefined && exact !== undefined && byId.id !== exact.id)
    throw severalNamed(wanted, [byId, exact] as readonly Named[], noun);
  const meant = byId ?? exact;
  if (meant !== undefined) return meant;
  const rows = (await store.find(collection, {})).rows as readonly (Readonly<CollectionRows[C]> & Named)[];
  // A stale id must not resolve to the broadcast that happens to have the digit in its name.
  if (id !== undefined) throw unknownName(wanted, rows, noun);
  return matchName(wanted, rows, noun);
}

/** `-1` and `.5` are no ids; without their sign they would be the id of another row. */
const SIGNED = /(?:^|\s)[-−.,]\s*\d/u;

/** Matches an exact name, then a unique prefix, then a close match, then an id in words. Throws as resolveRow does. */
export function matchName<T extends Named>(wanted: string, rows: readonly T[], noun: string): T {
  const id = bareId(wanted);
  const numbered = id === undefined ? [] : rows.filter((row) => row.id === id);
  const exact = isMarked(wanted) ? [] : rows.filter(({ name }) => name === wanted.trim());
  const both = [...new Set([...numbered, ...exact])];
  const matches = both.length > 0 ? both : rowsNamed(wanted, rows);
  const [first] = matches;
  if (first !== undefined) {
    if (matches.length === 1) return first;
    throw severalNamed(wanted, matches, noun);
  }
  const inWords = SIGNED.test(wanted) ? undefined : spokenId(plainName(wanted).replace(`${noun.toLowerCase()} `, ''));
  const byId = inWords === undefined ? [] : rows.filter((row) => row.id === inWords);
  if (byId[0] !== undefined && byId.length === 1) return byId[0];
  throw unknownName(wanted, rows, noun);
}

/** The id in `12` or `#12`. A row whose name is spelt the same comes first. */
export function bareId(wanted: string): number | undefined {
  const digits = /^["'“”]?\s*#?(\d{1,15})\s*["'“”]?$/u.exec(wanted.trim())?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function isMarked(wanted: string): boolean {
  return wanted.includes('#') && bareId(wanted) !== undefined;
}

function severalNamed(wanted: string, rows: readonly Named[], noun: string): AppError {
  const matches = rows.slice(0, MAX_MATCHES).map(shown);
  const more = rows.length > MAX_MATCHES ? ` and ${rows.length - MAX_MATCHES} more` : '';
  const detail = `${quoted(wanted)} fits several: ${matches.map(listed).join(', ')}${more}. Ask which ${noun} is meant, then repeat the call with ${bareId(wanted) === undefined ? 'its id' : `# before its id, such as "#${rows[0]?.id}"`}.`;
  return new AppError('conflict', detail, { facts: { matches }, remedy: 'Take one of the matches by its id.' });
}

function unknownName(wanted: string, rows: readonly Named[], noun: string): AppError {
  const names = nearestNames(
    wanted,
    rows.map(({ name }) => name),
  );
  const nearest = rows.filter(({ name }) => names.includes(name)).map(shown);
  const add = ADDED_BY[noun];
  const none = `None exists yet${add === undefined ? '' : `; add one with ${add}`}.`;
  const hint = nearest.length === 0 ? none : `The nearest are ${nearest.map(listed).join(', ')}.`;
  return new AppError('not_found', `There is no ${noun} ${quoted(wanted)}. ${hint}`, {
    facts: { resource: noun, nearest },
    ...(nearest.length === 0 && { remedy: 'Add one first.' }),
  });
}

function shown({ id, name, kind }: Named): Named {
  return { id, name: stripInvisible(name), ...(kind !== undefined && { kind }) };
}

function listed({ id, name, kind }: Named): string {
  return `${kind === undefined ? '' : `${kind} `}${id} "${name}"`;
}

function quoted(wanted: string): string {
  return JSON.stringify(stripInvisible(wanted).slice(0, 100));
}
