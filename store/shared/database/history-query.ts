/**
 * A query of history as SQL, with the answers that files of history give (store/history/find.ts): null sorts first, ties are by id, and a
 * condition that does not fit the kind of its field matches nothing.
 */
import { COLLECTIONS, historyFacts, type HistoryName } from '../../../domain/ports/collections.ts';
import type { ColumnKind } from '../../../domain/ports/history-facts.ts';
import type { Condition, Query, Scalar } from '../../../domain/ports/store.ts';
import { pageOf, searchedText, undeclared } from '../../tables/query.ts';
import { instantOf, SQL_COLUMNS, sqlNameOf, tableOf, textForSql } from './columns.ts';

/** A total that is larger is answered as this: counting on would take the database seconds. Files of history hold no more rows either. */
const MAX_TOTAL = 1_000_000;

type Kind = ColumnKind | 'id';

interface Column {
  readonly name: string;
  readonly kind: Kind;
}

export interface HistoryQuery {
  readonly rows: string;
  readonly total: string;
  readonly values: readonly unknown[];
}

/** `since` is the instant before which rows are too old to be answered. Throws AppError invalid_input. */
export function historyQuery(name: HistoryName, query: Query, since: string | undefined): HistoryQuery {
  const page = pageOf(query);
  const { indexed, searched } = COLLECTIONS[name];
  const allowed = ['id', ...indexed];
  const filterable = [...allowed, ...(historyFacts(name).filtered ?? [])];
  const sort = query.sort ?? { field: 'id', descending: false };
  const parameters = new Parameters();
  const tests: string[] = [];
  for (const [field, condition] of Object.entries(query.where ?? {})) {
    if (condition === undefined) continue;
    if (!filterable.includes(field)) throw undeclared(name, field, 'filtered', filterable);
    tests.push(testOf(columnOf(name, field), condition, parameters));
  }
  if (!allowed.includes(sort.field)) throw undeclared(name, sort.field, 'sorted', allowed);
  const text = searchedText(name, searched, query);
  if (text !== undefined) tests.push(`strpos(folded, ${parameters.add(textForSql(text))}) > 0`);
  if (since !== undefined) tests.push(`${instantOf(name)} > ${parameters.add(since)}`);
  const from = `from ${tableOf(name)}${tests.length === 0 ? '' : ` where ${tests.join(' and ')}`}`;
  return {
    rows: `select row ${from} order by ${orderOf(columnOf(name, sort.field), sort.descending)}${rangeOf(page)}`,
    total: `select count(*) from (select ${from} limit ${MAX_TOTAL}) matching`,
    values: parameters.values,
  };
}

class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

function columnOf(name: HistoryName, field: string): Column {
  if (field === 'id') return { name: 'id', kind: 'id' };
  const kind = SQL_COLUMNS[name].find((column) => column.field === field)!.kind;
  return { name: `"${sqlNameOf(field)}"`, kind };
}

function orderOf({ name, kind }: Column, descending: boolean): string {
  if (kind === 'id') return `id ${descending ? 'desc' : 'asc'}`;
  return `${name} ${descending ? 'desc nulls last' : 'asc nulls first'}, id`;
}

function rangeOf({ offset, limit }: { offset: number; limit: number }): string {
  return `${limit === Infinity ? '' : ` limit ${limit}`}${offset === 0 ? '' : ` offset ${offset}`}`;
}

function testOf(column: Column, condition: Condition, parameters: Parameters): string {
  if (typeof condition !== 'object' || condition === null) return isOneOf(column, [condition], parameters);
  if ('in' in condition) return isOneOf(column, condition.in, parameters);
  if ('notIn' in condition) return `not coalesce(${isOneOf(column, condition.notIn, parameters)}, false)`;
  if ('prefix' in condition)
    return isText(column) ? `starts_with(${column.name}, ${parameters.add(textForSql(condition.prefix))})` : 'false';
  return rangeTest(column, condition, parameters);
}

function isText({ kind }: Column): boolean {
  return kind === 'word' || kind === 'hash';
}

function isOneOf(column: Column, values: readonly Scalar[], parameters: Parameters): string {
  const wanted = values.flatMap((value) => valueFor(column, value) ?? []);
  const tests = [
    ...(wanted.length === 1 ? [`${column.name} = ${parameters.add(wanted[0])}`] : []),
    ...(wanted.length > 1 ? [`${column.name} = any (${parameters.add(wanted)})`] : []),
    ...(values.includes(null) ? [`${column.name} is null`] : []),
  ];
  return tests.length === 0 ? 'false' : `(${tests.join(' or ')})`;
}

function rangeTest(column: Column, { gte, lt }: { gte?: Scalar; lt?: Scalar }, parameters: Parameters): string {
  const tests: string[] = [];
  for (const [operator, bound] of [
    ['>=', gte],
    ['<', lt],
  ] as const) {
    if (bound === undefined) continue;
    const value = valueFor(column, bound);
    if (value === undefined) return 'false';
    tests.push(`${column.name} ${operator} ${parameters.add(value)}`);
  }
  return tests.length === 0 ? 'true' : `coalesce(${tests.join(' and ')}, false)`;
}

/** The value as the column has it; undefined where no row can have it. */
function valueFor({ kind }: Column, value: Scalar): string | number | undefined {
  if (kind === 'id') {
    // A bound may lie beyond what an id can be.
    return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
  }
  if (kind === 'number') return typeof value === 'number' ? value : undefined;
  if (typeof value !== 'string') return undefined;
  if (kind !== 'instant') return textForSql(value);
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
