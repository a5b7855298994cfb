/** Reads the whole of the resident rows as they are at one moment. */
import { HISTORY_NAMES, type HistoryName } from '../../../domain/ports/collections.ts';
import type { RawState, StoredRow } from '../../tables/migration.ts';
import { tableOf } from './columns.ts';
import type { Session } from './connection.ts';
import { readHead, type Head } from './schema.ts';

/** Rows that come in one answer, some megabytes. */
const TOGETHER = 4_000;
/** Counting more than these takes the database longer than a start should. */
const MAX_COUNTED = 100_000;

const ONE_MOMENT = 'begin transaction isolation level repeatable read, read only';

export interface Loaded {
  readonly head: Head;
  readonly state: RawState;
  /** Rows of history; estimates where there are many. */
  readonly counts: Readonly<Record<HistoryName, number>>;
}

export async function load(session: Session): Promise<Loaded> {
  return session.transaction(async () => {
    const head = await readHead(session);
    const collections: RawState['collections'] = new Map();
    for await (const [collection, id, version, text] of residentRows(session)) {
      let rows = collections.get(collection);
      if (rows === undefined) collections.set(collection, (rows = new Map()));
      rows.set(id, { version, row: JSON.parse(text) as StoredRow['row'] });
    }
    const counts: Partial<Record<HistoryName, number>> = {};
    for (const name of HISTORY_NAMES) counts[name] = await countOf(session, name);
    const state = { collections, nextIds: new Map(Object.entries(head.nextIds)) };
    return { head, state, counts: counts as Record<HistoryName, number> };
  }, ONE_MOMENT);
}

type ResidentRow = readonly [collection: string, id: number, version: number, text: string];

/** Runs inside a transaction. */
export async function* residentRows(session: Session, order = ''): AsyncGenerator<ResidentRow> {
  await session.query(
    `declare resident no scroll cursor for select collection, id, version, row from onair.rows ${order}`,
  );
  const fetch = `fetch forward ${TOGETHER} from resident`;
  // The next part is on its way while this one is parsed.
  let coming = session.query(fetch);
  for (;;) {
    const rows = await coming;
    if (rows.length < TOGETHER) {
      yield* rows.map(rowOf);
      break;
    }
    coming = session.query(fetch);
    coming.catch(() => undefined);
    for (const cells of rows) yield rowOf(cells);
  }
  await session.query('close resident');
}

function rowOf([collection, id, version, text]: readonly (string | null)[]): ResidentRow {
  return [collection!, Number(id), Number(version), text!];
}

async function countOf(session: Session, name: HistoryName): Promise<number> {
  const table = tableOf(name);
  const [[counted] = []] = await session.query(`select count(*) from (select from ${table} limit ${MAX_COUNTED}) few`);
  if (Number(counted) < MAX_COUNTED) return Number(counted);
  const [[estimated] = []] = await session.query(
    `select sum(greatest(c.reltuples, 0)) from pg_class c left join pg_inherits i on i.inhrelid = c.oid
      where c.oid = '${table}'::regclass or i.inhparent = '${table}'::regclass`,
  );
  return Math.max(MAX_COUNTED, Number(estimated));
}
