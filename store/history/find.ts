/**
 * A query of history covers the rows that are still in memory and the segments as they are at the moment of the call. `total` is exact: it
 * comes from the records, of which a million are compared in some 50 ms, a piece at a time. Rows are read for the page alone, unless a
 * condition needs their text.
 */
import { COLLECTIONS, historyFacts, type HistoryName } from '../../domain/ports/collections.ts';
import type { Found, Query, Scalar } from '../../domain/ports/store.ts';
import { testOf } from '../tables/conditions.ts';
import { deepFreeze } from '../tables/plain-copy.ts';
import { foldedOf, pageOf, searchedText, undeclared, type Page } from '../tables/query.ts';
import { compareScalars, scalarOf } from '../tables/scalar-order.ts';
import type { AnyRow } from '../tables/table.ts';
import { firstInOrder } from '../tables/top-rows.ts';
import { columnsOf, hashOf, ID, keyIn, keyOf, LENGTH, OFFSET, widthOf, type Column } from '../tables/columns.ts';
import type { Archive } from './history.ts';
import type { RecentRows } from '../tables/recent.ts';
import { testOfRecords, wordColumns, type Wanted } from './record-test.ts';
import type { Segment, SegmentView } from './segment.ts';

/** Number of rows that are read and tested in one go: half a millisecond of work. */
const BATCH = 256;
const MAX_COUNTED = 64;

interface Hit {
  readonly id: number;
  readonly key: Scalar;
  readonly row?: AnyRow;
  readonly segment?: Segment;
  readonly offset: number;
  readonly length: number;
}

interface Plan extends Wanted {
  readonly page: Page;
  readonly sort: { readonly field: string; readonly descending: boolean };
}

/** The state at the moment of the call, to be read later. */
export interface Captured {
  readonly recent: readonly AnyRow[];
  readonly views: readonly SegmentView[];
}

/** Throws AppError invalid_input as a query of a table does. */
export function capture(recent: RecentRows, archive: Archive, query: Query): Captured {
  planOf(recent.name, query);
  const views = archive.views(recent.name);
  return { recent: [...recent.rows()], views };
}

export async function findHistory(
  name: HistoryName,
  query: Query,
  { recent, views }: Captured,
  warn: (message: string) => void,
): Promise<Found<AnyRow>> {
  const search = new Search(planOf(name, query));
  const { backwards } = search;
  if (backwards) search.addRows(recent.toReversed());
  for (const view of backwards ? views.toReversed() : views) await search.addSegment(view);
  if (!backwards) search.addRows(recent);
  return { rows: await rowsOf(search.page(), warn), total: search.total };
}

function planOf(name: HistoryName, query: Query): Plan {
  const page = pageOf(query);
  const { indexed } = COLLECTIONS[name];
  const allowed = ['id', ...indexed];
  const filterable = [...allowed, ...(historyFacts(name).filtered ?? [])];
  const where = Object.entries(query.where ?? {}).flatMap(([field, condition]) => {
    if (condition === undefined) return [];
    if (!filterable.includes(field)) throw undeclared(name, field, 'filtered', filterable);
    return [[field, condition] as const];
  });
  const sort = query.sort ?? { field: 'id', descending: false };
  if (!allowed.includes(sort.field)) throw undeclared(name, sort.field, 'sorted', allowed);
  return { name, where, searchText: searchedText(name, COLLECTIONS[name].searched, query), page, sort };
}

/** Goes through rows and segments in the order of their ids, forwards or backwards, and keeps candidates for the page. */
class Search {
  readonly plan: Plan;
  total = 0;
  /** The newest rows are met first when the page wants them, because most others are then dropped at once. */
  readonly backwards: boolean;
  private hits: Hit[] = [];
  /** The last of the hits that fill the page and everything before it; later hits cannot be in the page. */
  private worst: Hit | undefined;
  /** Without a column the order is that of the ids, and the first matches are the page. */
  private readonly column: Column | undefined;
  /** Whether the order is that of the instants whose least and greatest each segment knows. */
  private readonly isByAge: boolean;
  private readonly conditions: readonly { field: string; test: (value: Scalar) => boolean }[];
  /** Whether records alone do not decide, because a text has to be searched or a hash confirmed. */
  private readonly needsRows: boolean;
  private readonly isHashed: boolean;
  private readonly last: number;
  private readonly key: string;

  constructor(plan: Plan) {
    const { name, where, searchText, page, sort } = plan;
    const columns = columnsOf(name);
    this.plan = plan;
    this.column = columns.find(({ field }) => field === sort.field);
    this.isByAge = this.column?.field === historyFacts(name).instant;
    this.backwards = sort.descending && (this.column === undefined || this.isByAge);
    this.conditions = where.map(([field, condition]) => ({ field, test: testOf(condition) }));
    this.isHashed = columns.some(({ field, kind }) => kind === 'hash' && where.some(([each]) => each === field));
    const isInRowsAlone = where.some(([each]) => historyFacts(name).filtered?.includes(each) === true);
    this.needsRows = this.isHashed || isInRowsAlone || (searchText !== undefined && wordColumns(name) === undefined);
    this.last = page.offset + page.limit;
    this.key = JSON.stringify([where, searchText]);
  }

  addRows(rows: readonly AnyRow[]): void {
    const column = this.column;
    for (const row of rows) {
      if (!this.fits(row)) continue;
      this.add({ id: row.id, key: column === undefined ? row.id : keyOf(column, row), row, offset: 0, length: 0 });
    }
  }

  async addSegment(view: SegmentView): Promise<void> {
    const { segment, rows } = view;
    if (!segment.isReadable) return;
    const counted = this.countedIn(view);
    if (counted !== undefined && this.isBeside(view, counted)) {
      this.total += counted;
      return;
    }
    const before = this.total;
    try {
      await this.scan(view);
    } catch (error) {
      // The segment was old and was deleted while the query was under way.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      this.total = before;
      this.hits = this.hits.filter((hit) => hit.segment !== segment);
      return;
    }
    // Nobody repeats a query for one key.
    if (rows !== segment.facts.rows || this.isHashed) return;
    if (segment.matchCounts.size >= MAX_COUNTED) segment.matchCounts.clear();
    segment.matchCounts.set(this.key, this.total - before);
  }

  page(): Hit[] {
    const { offset, limit } = this.plan.page;
    return this.column === undefined ? this.hits : this.firstHits().slice(offset, offset + limit);
  }

  private countedIn({ segment, rows }: SegmentView): number | undefined {
    const { facts, matchCounts } = segment;
    if (this.plan.where.length === 0 && this.plan.searchText === undefined) return rows;
    return rows === facts.rows ? matchCounts.get(this.key) : undefined;
  }

  /** Whether none of the matching rows of the view can be in the page. */
  private isBeside({ segment }: SegmentView, matching: number): boolean {
    const { offset, limit } = this.plan.page;
    if (limit === 0 || matching === 0) return true;
    if (this.column === undefined) return this.total >= this.last || this.total + matching <= offset;
    if (!this.isByAge || this.hits.length < this.last) return false;
    this.cut();
    const { earliest, latest } = segment.facts;
    const best = this.plan.sort.descending ? latest : earliest;
    return this.compare({ key: best, id: -Infinity }, this.worst!) > 0;
  }

  private async scan(view: SegmentView): Promise<void> {
    const { segment } = view;
    const { name, where } = this.plan;
    const words = await segment.words();
    const test = testOfRecords(this.plan, view, words);
    if (test === 'none') return;
    for (const { field, at } of columnsOf(name).filter(({ kind }) => kind === 'hash')) {
      const condition = where.find(([name]) => name === field)?.[1];
      if (typeof condition === 'string' && !(await segment.mayHave(view, at, hashOf(condition)))) return;
    }
    const width = widthOf(name);
    const column = this.column;
    let batch: Hit[] = [];
    const { from, to } = this.unfiltered(view);
    const [before, behind] = this.backwards ? [view.rows - to, from] : [from, view.rows - to];
    this.total += before;
    for await (const piece of segment.records(view, from, to, this.backwards)) {
      const count = piece.length / width;
      for (let at = 0; at < count; at += 1) {
        const start = (this.backwards ? count - 1 - at : at) * width;
        if (!test(piece, start)) continue;
        const id = piece[start + ID]!;
        const key = column === undefined ? id : keyIn(column, piece, start, words);
        const hit = { id, key, segment, offset: piece[start + OFFSET]!, length: piece[start + LENGTH]! };
        if (!this.needsRows) this.add(hit);
        else if (batch.push(hit) >= BATCH) batch = await this.addTested(segment, batch);
      }
    }
    await this.addTested(segment, batch);
    this.total += behind;
  }

  /** Without a condition the position in the segment follows from the count, so rows before and behind the page are not read. */
  private unfiltered({ rows }: SegmentView): { from: number; to: number } {
    const { where, searchText } = this.plan;
    if (this.column !== undefined || where.length > 0 || searchText !== undefined) return { from: 0, to: rows };
    const first = Math.max(0, Math.min(rows, this.plan.page.offset - this.total));
    const last = Math.max(first, Math.min(rows, this.last - this.total));
    return this.backwards ? { from: rows - last, to: rows - first } : { from: first, to: last };
  }

  private async addTested(segment: Segment, batch: readonly Hit[]): Promise<Hit[]> {
    const rows = batch.length === 0 ? [] : await segment.rowsAt(batch);
    for (const [at, row] of rows.entries()) if (row !== undefined && this.fits(row)) this.add(batch[at]!);
    return [];
  }

  private add(hit: Hit): void {
    const { offset, limit } = this.plan.page;
    this.total += 1;
    if (limit === 0) return;
    if (this.column === undefined) {
      if (this.total > offset && this.hits.length < limit) this.hits.push(hit);
      return;
    }
    if (this.worst !== undefined && this.compare(hit, this.worst) >= 0) return;
    if (this.hits.push(hit) > 2 * this.last + BATCH) this.cut();
  }

  /** Keeps the hits that are first in the order, as many as are needed. */
  private cut(): void {
    this.hits = this.firstHits();
    this.worst = this.hits.at(-1);
  }

  private firstHits(): Hit[] {
    return firstInOrder(this.hits, this.last, (a, b) => this.compare(a, b));
  }

  private compare(a: Pick<Hit, 'key' | 'id'>, b: Pick<Hit, 'key' | 'id'>): number {
    return (this.plan.sort.descending ? -1 : 1) * compareScalars(a.key, b.key) || a.id - b.id;
  }

  private fits(row: AnyRow): boolean {
    if (!this.conditions.every(({ field, test }) => test(scalarOf(row, field)))) return false;
    const { searchText, name } = this.plan;
    return searchText === undefined || foldedOf(row, COLLECTIONS[name].searched).includes(searchText);
  }
}

async function rowsOf(hits: readonly Hit[], warn: (message: string) => void): Promise<AnyRow[]> {
  const rows = hits.map(({ row }) => row);
  const bySegment = new Map<Segment, number[]>();
  for (const [at, { segment }] of hits.entries()) {
    if (segment === undefined) continue;
    const places = bySegment.get(segment);
    if (places === undefined) bySegment.set(segment, [at]);
    else places.push(at);
  }
  for (const [segment, places] of bySegment) {
    const found = await segment.rowsAt(places.map((at) => hits[at]!)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    let damaged = 0;
    for (const [position, at] of places.entries()) {
      const row = found[position];
      if (row?.id === hits[at]!.id) rows[at] = deepFreeze(row);
      else if (found.length > 0) damaged += 1;
    }
    if (damaged > 0) warn(`${damaged} rows in ${segment.paths[0]} are damaged and left out of an answer.`);
  }
  return rows.filter((row) => row !== undefined);
}
