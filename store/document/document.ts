/** The whole store as one readable document: a row a line, written as it is read, for history may be larger than memory. */
import { HISTORY_NAMES, type HistoryName } from '../../domain/ports/collections.ts';
import { walkHistory } from '../history/walk.ts';
import type { Captured } from '../history/find.ts';
import type { AnyRow } from '../tables/table.ts';
import type { Tables } from '../tables/tables.ts';

/** Rows of one piece, some hundred kilobytes of text. */
const TOGETHER = 1000;

export interface StoredRow {
  readonly version: number;
  readonly row: AnyRow;
}

/** The rows of one collection, in the order of their ids, some at a time. */
type Parts = Iterable<readonly StoredRow[]> | AsyncIterable<readonly StoredRow[]>;

/** Contents of a document at one moment. Leases are left out: they say who runs, not what is stored. */
export interface DocumentState {
  readonly head: Readonly<Record<string, unknown>>;
  readonly collections: readonly (readonly [name: string, parts: Parts])[];
}

export function documentHead(schemaVersion: number, exportedAt: string, nextIds: object): DocumentState['head'] {
  return { format: 'onair-store', schemaVersion, exported_at: exportedAt, nextIds };
}

/** Collects everything in one turn, so that it is one state, though the history files are read later. */
export function documentState(
  tables: Tables,
  head: DocumentState['head'],
  capture: (name: HistoryName) => Captured,
  warn: (message: string) => void,
): DocumentState {
  const resident = tables.all().map((table) => {
    const rows = [...table.entries()].map(([, { row, version }]) => ({ version, row }));
    return [table.name, parts(rows.sort((a, b) => a.row.id - b.row.id))] as const;
  });
  const history = HISTORY_NAMES.map((name) => [name, storedParts(name, capture(name), warn)] as const);
  return { head, collections: [...resident, ...history] };
}

/** Yields the text in pieces. Returns the number of rows. */
export async function* documentText({ head, collections }: DocumentState): AsyncGenerator<string, number> {
  let count = 0;
  yield `{\n${Object.entries(head)
    .map(([name, value]) => ` ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`)
    .join('')} "collections": {`;
  for (const [at, [name, rows]] of collections.entries()) {
    yield `${at === 0 ? '' : ','}\n  ${JSON.stringify(name)}: [`;
    let lead = '\n';
    for await (const part of rows) {
      yield part.map((row, first) => `${first === 0 ? lead : ',\n'}   ${JSON.stringify(row)}`).join('');
      count += part.length;
      lead = ',\n';
    }
    yield lead === '\n' ? ']' : '\n  ]';
  }
  yield '\n }\n}\n';
  return count;
}

function* parts(rows: readonly StoredRow[]): Generator<readonly StoredRow[]> {
  for (let at = 0; at < rows.length; at += TOGETHER) yield rows.slice(at, at + TOGETHER);
}

async function* storedParts(
  name: HistoryName,
  captured: Captured,
  warn: (message: string) => void,
): AsyncGenerator<readonly StoredRow[]> {
  for await (const rows of walkHistory(name, captured, warn)) {
    if (rows.length > 0) yield rows.map((row) => ({ version: 1, row }));
  }
}
