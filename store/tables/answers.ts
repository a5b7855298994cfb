/** Keeps answers to the last queries of a table until one of its rows changes, because clients that watch a list repeat one query. */
import type { Found, Query } from '../../domain/ports/store.ts';

const MAX_ANSWERS = 64;
/** Rows of the longest page; an answer with more is no page. */
const MAX_ROWS = 500;
/** Length of a filter by hundreds of ids; a longer one costs more to compare than it saves. */
const MAX_KEY = 8192;

export class Answers<Row> {
  private readonly known = new Map<string, Found<Row>>();

  clear(): void {
    if (this.known.size > 0) this.known.clear();
  }

  /** The remembered answer to the query, else that of `run`, which throws for an invalid query. */
  get(query: Query, run: () => Found<Row>): Found<Row> {
    // Looking one row up is as short as remembering it. NaN and Infinity would be the same key.
    if (query.limit === undefined || !Number.isInteger(query.limit) || query.limit <= 1) return run();
    const key = JSON.stringify(query);
    const known = this.known.get(key);
    // Each caller gets a list of its own: the rows are frozen, the list is not.
    if (known !== undefined) return { rows: known.rows.slice(), total: known.total };
    const found = run();
    if (found.rows.length <= MAX_ROWS && key.length <= MAX_KEY) {
      if (this.known.size >= MAX_ANSWERS) this.clear();
      this.known.set(key, { rows: found.rows.slice(), total: found.total });
    }
    return found;
  }
}
