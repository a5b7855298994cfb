/** Answers to the last queries of a table until one of its rows changes: those who watch a list ask the same again and again. */
import type { Found, Query } from '../domain/store.ts';

const MAX_ANSWERS = 64;
/** Rows of the longest page; what answers more is no page. */
const MAX_ROWS = 500;
/** A filter by hundreds of ids; a longer one costs more to compare than it saves. */
const MAX_KEY = 8192;

export class Answers<Row> {
  private readonly known = new Map<string, Found<Row>>();

  clear(): void {
    if (this.known.size > 0) this.known.clear();
  }

  /** The known answer to the query, else that of `run`, which throws where the query is none. */
  get(query: Query, run: () => Found<Row>): Found<Row> {
    // Looking one row up is as short as remembering it. NaN and Infinity would be the same key.
    if (query.limit === undefined || !Number.isInteger(query.limit) || query.limit <= 1) return run();
    const key = JSON.stringify(query);
    const known = this.known.get(key);
    // A list of its own for each caller: the rows are frozen, the list is not.
    if (known !== undefined) return { rows: known.rows.slice(), total: known.total };
    const found = run();
    if (found.rows.length <= MAX_ROWS && key.length <= MAX_KEY) {
      if (this.known.size >= MAX_ANSWERS) this.clear();
      this.known.set(key, { rows: found.rows.slice(), total: found.total });
    }
    return found;
  }
}
