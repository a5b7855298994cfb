/** Finds the one row that a caller's words (an id, a name, the beginning of a name) mean. The rules are in docs/decisions/names.md. */
import type { CollectionName, CollectionRows } from '../../domain/ports/collections.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Store } from '../../domain/ports/store.ts';
import { nearestNames } from '../catalogue.ts';
import { stripInvisible } from '../output/visible.ts';
import { say, sentence, type Sentence } from '../sentence.ts';
import type { CallRequest } from '../tool.ts';
import { rowsCalled, rowsNear, spokenId } from './names.ts';
import { shownArguments } from './shown-arguments.ts';

export interface Named {
  readonly id: number;
  readonly name: string;
  /** The kind of thing, where rows of several kinds are matched together. */
  readonly kind?: string;
}

export interface Question {
  readonly wanted: string;
  /** The API's noun for what is wanted: `Live stream`, `Channel`… */
  readonly noun: string;
  /** The call that asks, and its field with the name; left out: whoever asks knows what would run. */
  readonly from?: { readonly request: Pick<CallRequest, 'operation' | 'sent'>; readonly field: string };
}

/** A row that was found for a read. */
export interface Found<T> {
  readonly row: T;
  /** The name that was asked for, where no row has it and this is the nearest. */
  readonly taken_for?: string;
}

type NamedCollection = { [C in CollectionName]: CollectionRows[C] extends Named ? C : never }[CollectionName];

interface Asker {
  readonly store: Pick<Store, 'get' | 'find'>;
  readonly request: Pick<CallRequest, 'operation' | 'sent'>;
}

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
  'Remote Folder': 'addRemoteFolder',
  'Target Folder': 'addTargetFolder',
};

/** As many names as an answer of 1,500 tokens holds. */
const MAX_MATCHES = 30;
const MAX_NEAREST = 3;

/** The one row that is meant by what changes something. Throws AppError not_found with the nearest rows, or conflict with the matches. */
export function takeNamed<T extends Named>(rows: readonly T[], question: Question): T {
  const meant = rowsMeant(question.wanted, rows);
  if (meant.length > 1) throw severalNamed(meant, question);
  return meant[0] ?? refuseName(rows, question);
}

/** The same for what only reads, which may take the one row that the name is closest to. */
export function findNamed<T extends Named>(rows: readonly T[], question: Question): Found<T> {
  const { wanted } = question;
  const meant = rowsMeant(wanted, rows);
  if (meant.length > 1) throw severalNamed(meant, question);
  if (meant[0] !== undefined) return { row: meant[0] };
  const [near, ...others] = closeRows(rows, question);
  if (near === undefined || others.length > 0) return refuseName(rows, question);
  return { row: near, taken_for: stripInvisible(wanted) };
}

/** Does as takeNamed does. */
export async function takeRow<C extends NamedCollection>(
  asker: Asker,
  collection: C,
  question: Required<Question>,
): Promise<Readonly<CollectionRows[C]>> {
  return takeNamed(await candidates(asker, collection, question.wanted), question);
}

/** Does as findNamed does. */
export async function findRow<C extends NamedCollection>(
  asker: Asker,
  collection: C,
  question: Required<Question>,
): Promise<Found<Readonly<CollectionRows[C]>>> {
  return findNamed(await candidates(asker, collection, question.wanted), question);
}

/** The id in `12` or `#12`. A row whose name is spelt the same comes first. */
export function bareId(wanted: string): number | undefined {
  const digits = /^["'“”]?\s*#?(\d{1,15})\s*["'“”]?$/u.exec(wanted.trim())?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** `message` with the notice that the row is not the one that was asked for. */
export function sayFound({ row, taken_for }: Found<Named>, noun: string, message: Sentence): Sentence {
  if (taken_for === undefined) return message;
  return sentence`There is no ${noun} ${say(taken_for)}; the nearest is ${say(row.name)}. ${message}`;
}

/** The row of the id, the row of exactly this name, or all rows where there is neither. */
async function candidates<C extends NamedCollection>(
  { store }: Asker,
  collection: C,
  wanted: string,
): Promise<readonly (Readonly<CollectionRows[C]> & Named)[]> {
  const id = bareId(wanted);
  const byId = id === undefined ? [] : [(await store.get(collection, id))?.row].filter((row) => row !== undefined);
  const { rows: exact } = await store.find(collection, { where: { name: wanted.trim() }, limit: 1 });
  const some = [...byId, ...exact.filter((row) => row.id !== id)];
  return (some.length > 0 ? some : (await store.find(collection, {})).rows) as never;
}

/** A number is an id, or a name in exactly this spelling: the id of a row that is gone must not find the name that has the digits in it. */
function rowsMeant<T extends Named>(wanted: string, rows: readonly T[]): T[] {
  const id = bareId(wanted);
  if (id === undefined) return rowsCalled(wanted, rows);
  // `#7` is an id and never a name: the mark tells it from a thing that is called 7.
  return rows.filter((row) => row.id === id || (!wanted.includes('#') && row.name === wanted.trim()));
}

function closeRows<T extends Named>(rows: readonly T[], { wanted, noun }: Question): T[] {
  if (bareId(wanted) !== undefined) return [];
  const near = rowsNear(wanted, rows);
  return near.length > 0 ? near : rows.filter(({ id }) => id === spokenId(wanted, noun));
}

function severalNamed(rows: readonly Named[], { wanted, noun }: Question): AppError {
  const matches = rows.slice(0, MAX_MATCHES).map(shown);
  const more = rows.length > MAX_MATCHES ? ` and ${rows.length - MAX_MATCHES} more` : '';
  const how = bareId(wanted) === undefined ? 'its id' : `# before its id, such as "#${rows[0]?.id}"`;
  const detail = `${quoted(wanted)} fits several: ${matches.map(listed).join(', ')}${more}.`;
  const remedy = `Ask which ${noun} is meant, then repeat the call with ${how}.`;
  return new AppError('conflict', detail, { facts: { matches }, remedy });
}

function refuseName(rows: readonly Named[], question: Question): never {
  const { wanted, noun } = question;
  const names = nearestNames(
    wanted,
    rows.map(({ name }) => name),
  );
  const byLetters = names.flatMap((name) => rows.filter((row) => row.name === name));
  const close = closeRows(rows, question);
  const near = (close.length > 0 ? close : byLetters).slice(0, MAX_NEAREST);
  const nearest = near.map((row) => ({ ...shown(row), ...callWith(row, rows, question) }));
  const add = ADDED_BY[noun];
  const none = `None exists yet${add === undefined ? '' : `; add one with ${add}`}.`;
  const hint = nearest.length === 0 ? none : `The nearest: ${nearest.map(nearestListed).join(', ')}.`;
  throw new AppError('not_found', `There is no ${noun} ${quoted(wanted)}. ${hint}`, {
    facts: { resource: noun, wanted: stripInvisible(wanted), nearest },
    ...(nearest.length === 0 && { remedy: add === undefined ? 'Add one first.' : 'Then repeat the call.' }),
  });
}

/** The call with the name of that row, or with its id where the name means another one. */
function callWith(row: Named, rows: readonly Named[], { from }: Question): { call?: object } {
  if (from === undefined) return {};
  const { operation, sent } = from.request;
  const name = stripInvisible(row.name);
  const means = rowsMeant(name, rows);
  const isNamed = means.length === 1 && means[0] === row;
  if (!isNamed && row.kind !== undefined) return {};
  const shownSent = shownArguments(sent as Record<string, unknown>);
  return {
    call: { name: operation, arguments: withField(shownSent, from.field.split('.'), isNamed ? name : `#${row.id}`) },
  };
}

/** `value` with another one at a path such as `destinations.1.publishingId`. */
function withField(value: unknown, [key, ...rest]: readonly string[], text: string): unknown {
  if (key === undefined) return text;
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === key ? withField(item, rest, text) : item));
  const fields = value as Record<string, unknown>;
  return { ...fields, [key]: withField(fields[key], rest, text) };
}

function shown({ id, name, kind }: Named): Named {
  return { id, name: stripInvisible(name), ...(kind !== undefined && { kind }) };
}

function listed({ id, name, kind }: Named): string {
  return `${kind === undefined ? '' : `${kind} `}${id} "${name}"`;
}

function nearestListed({ name, kind }: Named): string {
  return `${kind === undefined ? '' : `${kind} `}${JSON.stringify(name)}`;
}

function quoted(wanted: string): string {
  return JSON.stringify(stripInvisible(wanted).slice(0, 100));
}
