/** The store as a document: written from one moment of the database, and filled in while nobody else uses it. */
import { HISTORY_NAMES, RESIDENT_NAMES } from '../../domain/ports/collections.ts';
import { documentHead, type DocumentState, type StoredRow } from '../document/document.ts';
import type { RawState } from '../tables/migration.ts';
import type { AnyRow } from '../tables/table.ts';
import { tableOf } from './database/columns.ts';
import type { Session } from './database/connection.ts';
import { readHead } from './database/schema.ts';

/** Rows of one answer, some megabytes; of one commit of an import, some hundred milliseconds. */
const TOGETHER = 2_000;

export const ONE_MOMENT = 'begin transaction isolation level repeatable read, read only';

/** Runs inside a transaction of ONE_MOMENT, for as long as the parts are read. */
export async function storedState(session: Session, exportedAt: string): Promise<DocumentState> {
  const { schemaVersion, nextIds } = await readHead(session);
  const resident = RESIDENT_NAMES.map(
    (name) =>
      [name, partsOf(session, `select version, row from onair.rows where collection = '${name}' order by id`)] as const,
  );
  const history = HISTORY_NAMES.map(
    (name) => [name, partsOf(session, `select 1, row from ${tableOf(name)} order by id`)] as const,
  );
  return { head: documentHead(schemaVersion, exportedAt, nextIds), collections: [...resident, ...history] };
}

async function* partsOf(session: Session, select: string): AsyncGenerator<readonly StoredRow[]> {
  await session.query(`declare part no scroll cursor for ${select}`);
  for (;;) {
    const rows = await session.query(`fetch forward ${TOGETHER} from part`);
    if (rows.length === 0) break;
    yield rows.map(([version, text]) => ({ version: Number(version), row: JSON.parse(text!) as AnyRow }));
  }
  await session.query('close part');
}

/** The state in parts that are a commit each. Their order is that of the document, the next ids come last. */
export function* partsOfState({ collections, nextIds }: RawState): Generator<RawState> {
  for (const [name, rows] of collections) {
    const all = [...rows];
    for (let at = 0; at < all.length; at += TOGETHER)
      yield { collections: new Map([[name, new Map(all.slice(at, at + TOGETHER))]]), nextIds: new Map() };
  }
  yield { collections: new Map(), nextIds };
}
