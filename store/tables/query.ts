/**
 * Answers a query from the maintained indexes. `total` is exact and, for a single condition, a subtraction of ranks; a page is read off the
 * index of its sort field, or picked out of the matching rows when they are few. Nothing sorts or scans a whole collection except `search`,
 * which has no index.
 */
import type { CollectionName } from '../../domain/ports/collections.ts';
import { invalidInput, type AppError } from '../../domain/base/errors.ts';
import { foldedText } from '../../domain/base/folded-text.ts';
import type { Found, Query } from '../../domain/ports/store.ts';
import { spansOf, testOf, type Span } from './conditions.ts';
import { compareScalars, scalarOf } from './scalar-order.ts';
import type { SortedIndex } from './sorted-index.ts';
import type { AnyRow, Entry, Table } from './table.ts';
import { firstInOrder } from './top-rows.ts';

interface Filter {
  readonly field: string;
  readonly spans: readonly Span[];
  readonly count: number;
  matches(row: AnyRow): boolean;
}

interface Order {
  readonly field: string;
  readonly descending: boolean;
  readonly index: SortedIndex;
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

type Test = (entry: Entry) => boolean;

/** Throws AppError invalid_input for a field that is not declared, a search that does not apply, or an invalid page. */
export function runQuery(table: Table, query: Query): Found<AnyRow> {
  const page = pageOf(query);
  const filters = filtersOf(table, query);
  const order = orderOf(table, query);
  const search = searchOf(table, query);
  const [first, ...others] = filters;
  if (first === undefined && search === undefined) {
    return { rows: pageOfSpans(table, order, [{ from: 0, to: order.index.size }], page), total: table.size };
  }
  if (first !== undefined && others.length === 0 && search === undefined) return oneFilter(table, first, order, page);
  const entries = collect(table, first, (entry) => {
    return others.every((filter) => filter.matches(entry.row)) && (search?.(entry) ?? true);
  });
  return { rows: pageOfEntries(entries, order, page), total: entries.length };
}

function oneFilter(table: Table, filter: Filter, order: Order, page: Page): Found<AnyRow> {
  const total = filter.count;
  if (filter.field === order.field) return { rows: pageOfSpans(table, order, filter.spans, page), total };
  const scanned = scan(table, filter, order, page);
  if (scanned !== undefined) return { rows: scanned, total };
  const entries = collect(table, filter, () => true);
  return { rows: pageOfEntries(entries, order, page), total };
}

/**
 * Walks the sort field's index and keeps matches until the page is full; undefined when the matches are so few, or so far along, that
 * picking them out is shorter. The walk ends when it has cost as much as that, so a bad guess costs at most double.
 */
function scan(table: Table, filter: Filter, { index, descending }: Order, page: Page): AnyRow[] | undefined {
  const wanted = Math.min(page.limit, filter.count - page.offset);
  if (wanted <= 0) return [];
  // The budget is in visited rows: picking out touches each match twice or thrice, and a long page is sorted.
  let budget = filter.count * (2 + Math.log2(wanted) / 2);
  if (((page.offset + wanted) * index.size) / filter.count > budget) return undefined;
  const rows: AnyRow[] = [];
  let skip = page.offset;
  const visit = (id: number): boolean => {
    budget -= 1;
    const { row } = table.get(id)!;
    if (filter.matches(row)) {
      if (skip > 0) skip -= 1;
      else rows.push(row);
    }
    return rows.length < wanted && budget > 0;
  };
  if (descending) index.walkDown(0, index.size, 0, visit);
  else index.walk(0, index.size, visit);
  return rows.length === wanted ? rows : undefined;
}

/** The spans lie in the index that the order reads. */
function pageOfSpans(
  table: Table,
  { index, descending }: Order,
  spans: readonly Span[],
  { offset, limit }: Page,
): AnyRow[] {
  const rows: AnyRow[] = [];
  if (limit === 0) return rows;
  const visit = (id: number): boolean => rows.push(table.get(id)!.row) < limit;
  let skip = offset;
  for (const { from, to } of descending ? spans.toReversed() : spans) {
    const length = to - from;
    if (skip < length) {
      const goOn = descending ? index.walkDown(from, to, skip, visit) : index.walk(from + skip, to, visit);
      if (!goOn) break;
    }
    skip = Math.max(0, skip - length);
  }
  return rows;
}

function collect(table: Table, filter: Filter | undefined, test: Test): Entry[] {
  const entries: Entry[] = [];
  if (filter === undefined) {
    for (const [, entry] of table.entries()) if (test(entry)) entries.push(entry);
    return entries;
  }
  const index = table.index(filter.field)!;
  for (const { from, to } of filter.spans) {
    index.walk(from, to, (id) => {
      const entry = table.get(id)!;
      if (test(entry)) entries.push(entry);
      return true;
    });
  }
  return entries;
}

function pageOfEntries(entries: Entry[], { field, descending }: Order, { offset, limit }: Page): AnyRow[] {
  const sign = descending ? -1 : 1;
  const keyed = entries.map(({ row }) => ({ row, key: scalarOf(row, field) }));
  // Rows of a growing collection come in the order of their age; newest first, most of them fall outside a page of the newest.
  if (descending) keyed.reverse();
  const compare = (a: (typeof keyed)[number], b: (typeof keyed)[number]): number =>
    sign * compareScalars(a.key, b.key) || a.row.id - b.row.id;
  return firstInOrder(keyed, offset + limit, compare)
    .slice(offset)
    .map(({ row }) => row);
}

export function pageOf({ offset = 0, limit = Infinity }: Query): Page {
  for (const [field, value] of Object.entries({ offset, limit })) {
    if (!(Number.isInteger(value) || value === Infinity) || value < 0) {
      throw invalidInput([{ field, code: 'invalid', message: `must be a whole number from 0, not ${value}`, min: 0 }]);
    }
  }
  return { offset, limit };
}

/** The smallest filter comes first. */
function filtersOf(table: Table, { where = {} }: Query): Filter[] {
  const filters: Filter[] = [];
  for (const [field, condition] of Object.entries(where)) {
    if (condition === undefined) continue;
    const spans = spansOf(condition, indexFor(table, field, 'filtered'));
    const test = testOf(condition);
    const count = spans.reduce((sum, { from, to }) => sum + to - from, 0);
    filters.push({ field, spans, count, matches: (row) => test(scalarOf(row, field)) });
  }
  return filters.sort((a, b) => a.count - b.count);
}

function orderOf(table: Table, { sort = { field: 'id', descending: false } }: Query): Order {
  return { ...sort, index: indexFor(table, sort.field, 'sorted') };
}

function indexFor(table: Table, field: string, use: 'filtered' | 'sorted'): SortedIndex {
  const index = table.index(field);
  if (index === undefined) throw undeclared(table.name, field, use, table.indexedFields);
  return index;
}

export function undeclared(
  name: CollectionName,
  field: string,
  use: 'filtered' | 'sorted',
  allowed: string[],
): AppError {
  const message = `${name} cannot be ${use} by it; allowed are ${allowed.join(', ')}`;
  return invalidInput([{ field, code: 'not_allowed', message, allowed }]);
}

function searchOf(table: Table, query: Query): Test | undefined {
  const { name, searched } = table;
  const wanted = searchedText(name, searched, query);
  if (wanted === undefined) return undefined;
  return (entry) => (entry.folded ??= foldedOf(entry.row, searched)).includes(wanted);
}

/** The folded text to search for; undefined for none. Throws AppError invalid_input where nothing can be searched. */
export function searchedText(name: CollectionName, searched: readonly string[], { search }: Query): string | undefined {
  if (search === undefined || search === '') return undefined;
  if (searched.length > 0) return foldedText(search);
  throw invalidInput([{ field: 'search', code: 'not_allowed', message: `${name} cannot be searched` }]);
}

/** A line break separates the fields, so that no text matches across two of them. */
export function foldedOf(row: AnyRow, searched: readonly string[]): string {
  return foldedText(searched.flatMap((field) => row[field] ?? '').join('\n'));
}
