/**
 * The record of a history row has numbers alone, so that a million of them are compared in milliseconds without a row being read. It has
 * the id, the place of the row's line in the file, and a number for each indexed field: the number itself, the milliseconds of an instant,
 * the code of a word in the words of its file, or 48 bits of a hash. NaN stands for null.
 */
import { createHash } from 'node:crypto';
import { COLLECTIONS, historyFacts, type HistoryName } from '../../domain/ports/collections.ts';
import type { ColumnKind } from '../../domain/ports/history-facts.ts';
import type { Condition, Scalar } from '../../domain/ports/store.ts';
import { testOf } from './conditions.ts';
import type { AnyRow } from './table.ts';

/** Positions in a record; the indexed fields follow in their declared order. */
export const ID = 0;
export const OFFSET = 1;
export const LENGTH = 2;
const FIRST_FIELD = 3;

export interface Column {
  readonly field: string;
  readonly kind: ColumnKind;
  readonly at: number;
}

const COLUMNS = new Map<HistoryName, readonly Column[]>();

export function columnsOf(name: HistoryName): readonly Column[] {
  let columns = COLUMNS.get(name);
  if (columns === undefined) {
    const { columns: kinds } = historyFacts(name);
    const { indexed } = COLLECTIONS[name];
    columns = indexed.map((field, at) => ({ field, kind: kinds[field]!, at: FIRST_FIELD + at }));
    COLUMNS.set(name, columns);
  }
  return columns;
}

/** Numbers of one record. */
export function widthOf(name: HistoryName): number {
  return FIRST_FIELD + columnsOf(name).length;
}

/** Throws TypeError for a value that its column cannot hold; called before the row is written. */
export function assertRecordable(name: HistoryName, row: AnyRow): void {
  for (const { field, kind } of columnsOf(name)) {
    const value = row[field];
    if (value === undefined || value === null) continue;
    const isFit =
      kind === 'number'
        ? typeof value === 'number'
        : typeof value === 'string' && (kind !== 'instant' || isInstant(value));
    if (isFit) continue;
    throw new TypeError(
      `The indexed field ${field} of ${name} holds ${JSON.stringify(value)}; it is a ${kind === 'hash' ? 'text' : kind} or null.`,
    );
  }
}

/** Accepts the form of toIso alone, because any other would not sort in the order of time. */
function isInstant(text: string): boolean {
  const ms = Date.parse(text);
  return text.length === 24 && !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}

/** The number that stands in a record for a value that is not a word. */
export function numberOf(kind: Exclude<ColumnKind, 'word'>, value: unknown): number {
  if (value === undefined || value === null) return Number.NaN;
  if (kind === 'number') return value as number;
  return kind === 'instant' ? Date.parse(value as string) : hashOf(value as string);
}

export function hashOf(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6);
}

/** A condition as a test on the number of a record; `words` are those of its file. A hash only says that a row may match. */
export function recordTest(
  kind: ColumnKind,
  condition: Condition,
  words: readonly string[],
): ((value: number) => boolean) | 'none' {
  if (kind === 'word') return wordTest(testOf(condition), words);
  const test = testOf(kind === 'number' ? condition : mapped(condition, (value) => numberOf(kind, value)));
  return (value) => test(Number.isNaN(value) ? null : value);
}

/** `none` means that no word of the file matches, nor does null. */
export function wordTest(
  test: (word: string | null) => boolean,
  words: readonly string[],
): ((code: number) => boolean) | 'none' {
  const fits = words.map((word) => test(word));
  const nullFits = test(null);
  if (!nullFits && !fits.includes(true)) return 'none';
  return (code) => (Number.isNaN(code) ? nullFits : fits[code]!);
}

function mapped(condition: Condition, number: (value: Scalar) => number): Condition {
  const one = (value: Scalar): Scalar => (value === null ? null : number(value));
  if (typeof condition !== 'object' || condition === null) return one(condition);
  if ('in' in condition) return { in: condition.in.map(one) };
  if ('notIn' in condition) return { notIn: condition.notIn.map(one) };
  if ('prefix' in condition) return condition;
  const { gte, lt } = condition;
  return { ...(gte !== undefined && { gte: number(gte) }), ...(lt !== undefined && { lt: number(lt) }) };
}

/** The sort key of a record: the word, or the number. */
export function keyIn({ kind, at }: Column, records: Float64Array, start: number, words: readonly string[]): Scalar {
  const value = records[start + at]!;
  if (Number.isNaN(value)) return null;
  return kind === 'word' ? words[value]! : value;
}

/** The sort key of a row that has no record yet. */
export function keyOf({ kind, field }: Column, row: AnyRow): Scalar {
  const value = row[field] ?? null;
  return value === null || kind === 'word' ? (value as Scalar) : numberOf(kind, value);
}
