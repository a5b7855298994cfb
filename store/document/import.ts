/**
 * Fills an empty store with a document, which is read twice: once to check every row of it, then to write. Rows that live in memory are
 * kept from the first reading; history is not, because it may be larger than memory.
 */
import {
  COLLECTIONS,
  HISTORY_NAMES,
  isHistory,
  type CollectionName,
  type HistoryName,
} from '../../domain/ports/collections.ts';
import { MAX_DOCUMENT_ISSUES, refusedDocument } from '../../domain/base/document-refusal.ts';
import { AppError, invalidInput, type FieldIssue } from '../../domain/base/errors.ts';
import { storedRowIssues, type RowIssue } from '../../domain/ports/stored-rows.ts';
import { assertRecordable } from '../tables/columns.ts';
import { JsonCursor } from './json-cursor.ts';
import { assertReadable, migrate, type RawState, type Schema, type StoredRow } from '../tables/migration.ts';
import type { AnyRow } from '../tables/table.ts';
import type { Transaction } from '../tables/transaction.ts';

const TOGETHER = 500;

/** The text of a document from its beginning, in pieces; a file is opened anew. */
export type DocumentSource = () => AsyncIterable<string> | Iterable<string>;

/** Rows of one collection of history, some at a time, in the order of their ids. */
export type HistoryBatch = readonly [name: HistoryName, rows: readonly StoredRow[]];

/** Throws AppError conflict. */
export function assertEmpty(counts: Readonly<Record<CollectionName, number>>): void {
  const filled = Object.entries(counts).filter(([, count]) => count > 0);
  if (filled.length === 0) return;
  const list = filled.map(([name, count]) => `${count} ${name}`).join(', ');
  throw new AppError('conflict', `The store holds rows already (${list}). Import into an empty data folder.`, {
    facts: { rows: Object.fromEntries(filled) },
  });
}

/**
 * Checks all of the document and answers the rows that live in memory, in the present form. Throws AppError invalid_input for a text that
 * is no document or has wrong rows, unavailable for an unknown schema, SyntaxError for invalid JSON.
 */
export async function checkedDocument(source: DocumentSource, schema: Schema): Promise<RawState> {
  const check = new Check();
  let format: unknown;
  let version: unknown;
  for await (const [name, value] of fieldsOf(source)) {
    if (name === 'format') format = value;
    else if (name === 'schemaVersion') assertReadable((version = asCount(value)), schema, 'The document');
    else if (name === 'nextIds') check.readNextIds(value);
    else if (name === 'collection') check.begin(value as string);
    else if (name === 'row') check.readRow(value as FoundRow);
  }
  if (format !== 'onair-store' || version === undefined) throw notExported();
  const { state } = check;
  migrate(state, version as number, schema.version, schema, 'The document');
  for (const name of state.collections.keys()) {
    if (!Object.hasOwn(COLLECTIONS, name))
      throw invalidInput([
        { field: `collections.${name}`, code: 'unknown', message: 'is no collection of this store' },
      ]);
  }
  for (const [name, rows] of state.collections)
    for (const { row } of rows.values()) check.checkRow(name as CollectionName, row);
  check.end();
  return state;
}

/** Throws AppError conflict for rows that exclude each other. */
export function fillResident(tx: Transaction, { collections, nextIds }: RawState): void {
  for (const [name, rows] of collections)
    for (const { version, row } of rows.values()) tx.restore(name as CollectionName, version, row);
  tx.raiseNextIds(Object.fromEntries(nextIds));
}

/** Yields the history of a document that was checked. */
export async function* historyOf(source: DocumentSource): AsyncGenerator<HistoryBatch> {
  let batch: { name: HistoryName; rows: StoredRow[] } | undefined;
  for await (const [name, value] of fieldsOf(source)) {
    if (name !== 'row') continue;
    const { collection, stored } = value as FoundRow;
    if (!isKnownHistory(collection)) continue;
    if (batch !== undefined && (batch.name !== collection || batch.rows.length === TOGETHER)) {
      yield [batch.name, batch.rows];
      batch = undefined;
    }
    batch ??= { name: collection, rows: [] };
    batch.rows.push(stored as StoredRow);
  }
  if (batch !== undefined) yield [batch.name, batch.rows];
}

interface FoundRow {
  readonly collection: string;
  readonly position: number;
  readonly stored: unknown;
}

/** Yields the fields of a document, and in place of `collections` a `collection` with the name of each and a `row` for each of its rows. */
async function* fieldsOf(source: DocumentSource): AsyncGenerator<readonly [field: string, value: unknown]> {
  const cursor = new JsonCursor(source());
  try {
    yield* fieldsAt(cursor);
  } finally {
    await cursor.close();
  }
}

async function* fieldsAt(cursor: JsonCursor): AsyncGenerator<readonly [field: string, value: unknown]> {
  if (!(await cursor.isObject())) throw notExported();
  for await (const field of cursor.names()) {
    if (field !== 'collections' || !(await cursor.isObject())) {
      const value = await cursor.value();
      if (field !== 'row' && field !== 'collection') yield [field, value];
      continue;
    }
    for await (const collection of cursor.names()) {
      if (!(await cursor.isList()))
        throw invalidInput([{ field: `collections.${collection}`, code: 'invalid', message: 'must be a list' }]);
      yield ['collection', collection];
      let position = 0;
      for await (const stored of cursor.items()) {
        yield ['row', { collection, position, stored } satisfies FoundRow];
        position += 1;
      }
    }
  }
  await cursor.end();
}

class Check {
  /** Rows that live in memory. */
  readonly state: RawState = { collections: new Map(), nextIds: new Map() };
  private readonly lastIds = new Map<string, number>();
  private readonly issues: FieldIssue[] = [];

  begin(collection: string): void {
    if (this.lastIds.has(collection) || this.state.collections.has(collection))
      throw invalidInput([{ field: `collections.${collection}`, code: 'duplicate', message: 'is there twice' }]);
    if (isKnownHistory(collection)) this.lastIds.set(collection, 0);
    else this.state.collections.set(collection, new Map());
  }

  readNextIds(value: unknown): void {
    for (const [name, next] of Object.entries(value ?? {})) {
      if (!isCount(next))
        throw invalidInput([{ field: `nextIds.${name}`, code: 'invalid', message: 'must be a whole number from 1' }]);
      this.state.nextIds.set(name, next);
    }
  }

  readRow({ collection, position, stored }: FoundRow): void {
    const { version, row } = (stored ?? {}) as Partial<StoredRow>;
    const id = row?.id;
    const field = `collections.${collection}.${position}`;
    if (!isCount(id) || !isCount(version))
      throw invalidInput([
        { field, code: 'invalid', message: 'must have a version and a row with an id, whole numbers from 1' },
      ]);
    const rows = this.state.collections.get(collection);
    const lastId = this.lastIds.get(collection) ?? 0;
    if (rows?.has(id) === true || id === lastId)
      throw invalidInput([{ field, code: 'duplicate', message: `repeats id ${id}` }]);
    if (rows !== undefined) rows.set(id, stored as StoredRow);
    else {
      // The newest row is at the end of its files, and all of it cannot be sorted here.
      if (id < lastId)
        throw invalidInput([
          { field, code: 'order', message: `has id ${id} behind id ${lastId}: put the oldest first` },
        ]);
      this.lastIds.set(collection, id);
      this.checkRow(collection as HistoryName, row!);
    }
  }

  /** A row that no operation would have made can break every list, or let nobody sign in. */
  checkRow(name: CollectionName, row: AnyRow): void {
    const found = storedRowIssues(name, row);
    if (found.length === 0 && isHistory(name)) found.push(...recordIssues(name, row));
    for (const { field, message } of found)
      this.issues.push({ field: `${name} ${row.id}${field && `, ${field}`}`, code: 'invalid', message });
    if (this.issues.length > MAX_DOCUMENT_ISSUES) throw refusedDocument(this.issues);
  }

  /** Throws AppError invalid_input. */
  end(): void {
    if (this.issues.length > 0) throw refusedDocument(this.issues);
  }
}

function recordIssues(name: HistoryName, row: AnyRow): RowIssue[] {
  try {
    assertRecordable(name, row);
    return [];
  } catch (error) {
    return [{ field: '', message: (error as TypeError).message }];
  }
}

function notExported(): AppError {
  const message = 'is not "onair-store" with a schemaVersion: give a document that onair exported';
  return invalidInput([{ field: 'format', code: 'invalid', message }]);
}

function asCount(value: unknown): number {
  if (!isCount(value)) throw notExported();
  return value;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isKnownHistory(name: string): name is HistoryName {
  return (HISTORY_NAMES as readonly string[]).includes(name);
}
