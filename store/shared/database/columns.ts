/** The columns of history in the database: each field that is filtered or sorted by, the text that is searched, and the whole row. */
import { COLLECTIONS, HISTORY_NAMES, historyFacts, type HistoryName } from '../../../domain/ports/collections.ts';
import type { ColumnKind } from '../../../domain/ports/history-facts.ts';
import { foldedOf } from '../../tables/query.ts';
import type { AnyRow } from '../../tables/table.ts';

export interface SqlColumn {
  readonly field: string;
  /** Name in SQL, quoted. */
  readonly name: string;
  readonly kind: ColumnKind;
}

/**
 * A number of JavaScript is a double. Words are compared by their bytes, which is the order of their code units but for characters beyond
 * U+FFFF.
 */
export const SQL_TYPES: Readonly<Record<ColumnKind, string>> = {
  number: 'double precision',
  instant: 'timestamptz',
  word: 'text collate "C"',
  hash: 'text collate "C"',
};

/** Answers `past_firings` for `pastFirings`. */
export function sqlNameOf(name: string): string {
  return name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

export function tableOf(name: HistoryName): string {
  return `onair.${sqlNameOf(name)}`;
}

export const SQL_COLUMNS: Readonly<Record<HistoryName, readonly SqlColumn[]>> = Object.fromEntries(
  HISTORY_NAMES.map((name) => {
    const { columns, filtered = [] } = historyFacts(name);
    const fields = [...Object.entries(columns), ...filtered.map((field) => [field, 'word' as const] as const)];
    return [name, fields.map(([field, kind]) => ({ field, name: `"${sqlNameOf(field)}"`, kind }))];
  }),
) as unknown as Record<HistoryName, readonly SqlColumn[]>;

export function isSearched(name: HistoryName): boolean {
  return COLLECTIONS[name].searched.length > 0;
}

/** The instant column by which rows grow old, and by which all but idempotency are partitioned. */
export function instantOf(name: HistoryName): string {
  return `"${sqlNameOf(historyFacts(name).instant)}"`;
}

export function isPartitioned(name: HistoryName): boolean {
  return name !== 'idempotency';
}

/** PostgreSQL has no NUL and no half of a surrogate pair in a text; the row itself keeps them. */
export function textForSql(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
}

/** The JSON of the columns that `append` inserts, the row aside. */
export function recordText(name: HistoryName, row: AnyRow): string {
  const fields = [`"id":${row.id}`];
  for (const { field, name: column } of SQL_COLUMNS[name]) {
    const value = row[field];
    if (value === undefined || value === null) continue;
    fields.push(`${column}:${JSON.stringify(typeof value === 'string' ? textForSql(value) : value)}`);
  }
  if (isSearched(name)) {
    const folded = foldedOf(row, COLLECTIONS[name].searched);
    fields.push(`"folded":${JSON.stringify(textForSql(folded))}`);
  }
  return `{${fields.join(',')}}`;
}
