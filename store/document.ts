/** The whole store as one readable document, and back into an empty one. */
import { COLLECTIONS, isHistory, type CollectionName } from '../domain/collections.ts';
import { AppError, invalidInput, type FieldIssue } from '../domain/errors.ts';
import type { StoreDocument } from '../domain/store.ts';
import { storedRowIssues } from '../domain/stored-rows.ts';
import { assertReadable, migrate, type RawState, type Schema, type StoredRow } from './migration.ts';
import type { AnyRow } from './table.ts';
import type { Tables } from './tables.ts';
import type { Transaction } from './transaction.ts';

/** Enough to see what they have in common. */
const MOST_ISSUES = 20;

/** Without history, in one go, so that it is one state. Leases are left out: they say who runs, not what is. */
export function documentOf(tables: Tables, schemaVersion: number, exportedAt: string): StoreDocument {
  const collections: Record<string, { version: number; row: AnyRow }[]> = {};
  for (const table of tables.all()) {
    collections[table.name] = [...table.entries()]
      .map(([, { row, version }]) => ({ version, row }))
      .sort((a, b) => a.row.id - b.row.id);
  }
  return {
    format: 'onair-store',
    schemaVersion,
    exported_at: exportedAt,
    nextIds: tables.nextIds(),
    collections: collections as StoreDocument['collections'],
  };
}

/** Throws AppError conflict. */
export function assertEmpty(counts: Readonly<Record<CollectionName, number>>): void {
  const filled = Object.entries(counts).filter(([, count]) => count > 0);
  if (filled.length === 0) return;
  const list = filled.map(([name, count]) => `${count} ${name}`).join(', ');
  throw new AppError('conflict', `The store holds rows already (${list}). Import into an empty data folder.`, {
    facts: { rows: Object.fromEntries(filled) },
  });
}

/** Throws AppError invalid_input for a document that is none or has rows that are none, conflict for rows that exclude each other, unavailable for a schema that is not known. */
export function fillFrom(tx: Transaction, document: StoreDocument, schema: Schema): void {
  if (document?.format !== 'onair-store' || !isCount(document.schemaVersion)) {
    throw invalidInput([
      {
        field: 'format',
        code: 'invalid',
        message: 'is not "onair-store" with a schemaVersion: give a document that onair exported',
      },
    ]);
  }
  assertReadable(document.schemaVersion, schema, 'The document');
  // Steps change rows in place; the caller's document stays as it is.
  const state = stateOf(document.schemaVersion === schema.version ? document : structuredClone(document));
  migrate(state, document.schemaVersion, schema.version, schema, 'The document');
  for (const name of state.collections.keys()) {
    if (!Object.hasOwn(COLLECTIONS, name))
      throw invalidInput([
        { field: `collections.${name}`, code: 'unknown', message: 'is no collection of this store' },
      ]);
  }
  assertRows(state);
  for (const [name, rows] of state.collections) {
    for (const { version, row } of inOrder(name as CollectionName, rows))
      tx.restore(name as CollectionName, version, row);
  }
  tx.raiseNextIds(Object.fromEntries(state.nextIds));
}

/** Before the first of them is written: one that no operation would have made can break every list, or let nobody in. */
function assertRows({ collections }: RawState): void {
  const issues: FieldIssue[] = [];
  for (const [name, rows] of collections) {
    for (const [id, { row }] of rows) {
      for (const { field, message } of storedRowIssues(name as CollectionName, row))
        issues.push({ field: `${name} ${id}${field && `, ${field}`}`, code: 'invalid', message });
      if (issues.length > MOST_ISSUES) throw refused(issues.slice(0, MOST_ISSUES), ' More is wrong behind them.');
    }
  }
  if (issues.length > 0) throw refused(issues, '');
}

function refused(issues: FieldIssue[], more: string): AppError {
  const found = issues.map(({ field, message }) => `${field}: ${message}`).join('; ');
  return invalidInput(
    issues,
    `The document is refused, and nothing of it was written. ${found}.${more} Put these rows right.`,
  );
}

/** History is in the order of its ids, whatever the order of the document. */
function inOrder(name: CollectionName, rows: ReadonlyMap<number, StoredRow>): Iterable<StoredRow> {
  return isHistory(name) ? [...rows.values()].sort((a, b) => a.row.id - b.row.id) : rows.values();
}

function stateOf({ collections, nextIds }: StoreDocument): RawState {
  const state: RawState = { collections: new Map(), nextIds: new Map() };
  for (const [name, rows] of Object.entries(collections ?? {})) state.collections.set(name, rowsOf(name, rows));
  for (const [name, next] of Object.entries(nextIds ?? {})) {
    if (!isCount(next))
      throw invalidInput([{ field: `nextIds.${name}`, code: 'invalid', message: 'must be a whole number from 1' }]);
    state.nextIds.set(name, next);
  }
  return state;
}

function rowsOf(name: string, rows: unknown): Map<number, StoredRow> {
  if (!Array.isArray(rows))
    throw invalidInput([{ field: `collections.${name}`, code: 'invalid', message: 'must be a list' }]);
  const byId = new Map<number, StoredRow>();
  for (const [position, stored] of (rows as Partial<StoredRow>[]).entries()) {
    const id = stored?.row?.id;
    const field = `collections.${name}.${position}`;
    if (!isCount(id) || !isCount(stored.version))
      throw invalidInput([
        { field, code: 'invalid', message: 'must have a version and a row with an id, whole numbers from 1' },
      ]);
    if (byId.has(id)) throw invalidInput([{ field, code: 'duplicate', message: `repeats id ${id}` }]);
    byId.set(id, stored as StoredRow);
  }
  return byId;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
