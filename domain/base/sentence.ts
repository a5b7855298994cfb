/** Adds a full stop where the sentence has none. */
export function ended(sentence: string): string {
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}

/** `Channel 1 "Studio A"`: people know the name, a program calls with the id. */
export function called(kind: string, { id, name }: { id: number | string; name?: string | undefined }): string {
  return `${kind} ${idAndName(id, name)}`;
}

function idAndName(id: number | string, name: string | undefined): string {
  return name === undefined ? String(id) : `${id} ${JSON.stringify(name)}`;
}

const COLLECTIONS = {
  Channel: 'channels',
  'Cloud account': 'cloudAccounts',
  Destination: 'publishings',
  Device: 'devices',
  'Device group': 'deviceGroups',
  Encoding: 'encodings',
  'Live stream': 'livestreams',
  Publishing: 'publishings',
  Schedule: 'schedules',
} as const;
type Kind = keyof typeof COLLECTIONS;

/** A view or a lookup. */
interface Rows {
  get(collection: (typeof COLLECTIONS)[Kind], id: number): object | undefined;
}

/** A row that is gone has no name. */
export function calledIn(rows: Rows, kind: Kind, id: number): string {
  return called(kind, { id, name: nameIn(rows, kind, id) });
}

/** The same of rows that are at hand by their id. */
export function calledAmong(rows: { get(id: number): { name: string } | undefined }, kind: Kind, id: number): string {
  return called(kind, { id, name: rows.get(id)?.name });
}

/** `4 "Web", 5 "CDN"`, or `none`. */
export function listed(rows: readonly { id: number; name?: string | undefined }[]): string {
  return rows.map(({ id, name }) => idAndName(id, name)).join(', ') || 'none';
}

export function listedIn(rows: Rows, kind: Kind, ids: readonly number[]): string {
  return listed(ids.map((id) => ({ id, name: nameIn(rows, kind, id) })));
}

function nameIn(rows: Rows, kind: Kind, id: number): string | undefined {
  const row = rows.get(COLLECTIONS[kind], id) as { name?: string; client?: string } | undefined;
  return row?.name ?? row?.client;
}

/** `a, b and c`. */
export function andList(words: readonly string[]): string {
  return joined(words, 'and');
}

/** `a, b or c`. */
export function orList(words: readonly string[]): string {
  return joined(words, 'or');
}

function joined(words: readonly string[], last: string): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
