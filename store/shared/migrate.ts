/** Brings the rows of an older schema version forward, in one transaction, while no member runs that speaks the older one alone. */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../domain/base/errors.ts';
import { assertReadable, migrate, type RawState, type Schema, type StoredRow } from '../tables/migration.ts';
import type { Session } from './database/connection.ts';
import { residentRows } from './database/load.ts';
import { otherMembers } from './membership.ts';
import { readHead } from './database/schema.ts';

const TOGETHER = 2_000;

/**
 * Throws AppError unavailable for a version that this program does not know, and while members run that do not know the new one. The rows of the
 * older version stay in a table of their own.
 */
export async function bringForward(
  session: Session,
  schema: Schema,
  memberId: string,
  beforeMigration: (found: number) => Promise<void>,
): Promise<void> {
  const { schemaVersion: found, program } = await readHead(session);
  assertReadable(found, schema, 'The database', program);
  if (found === schema.version) return;
  await session.transaction(async () => {
    const head = await readHead(session, 'for update');
    // Another member may have done it meanwhile.
    if (head.schemaVersion === schema.version) return;
    const others = await otherMembers(session, memberId, `speaks < ${schema.version}`);
    if (others.length > 0)
      throw new AppError(
        'unavailable',
        `The database has schema version ${found}, and this onair would bring it to ${schema.version}, which others do not know that run: ${others.join('; ')}.`,
        { remedy: 'Stop those, then start this one.' },
      );
    await beforeMigration(found);
    const state: RawState = { collections: new Map(), nextIds: new Map(Object.entries(head.nextIds)) };
    for await (const [collection, id, version, text] of residentRows(session)) {
      let rows = state.collections.get(collection);
      if (rows === undefined) state.collections.set(collection, (rows = new Map()));
      rows.set(id, { version, row: JSON.parse(text) as StoredRow['row'] });
    }
    migrate(state, found, schema.version, schema, 'The database');
    await session.query(`create table onair.rows_schema_${found} as table onair.rows`);
    await session.query('truncate onair.rows');
    await writeRows(session, state);
    // The log begins anew: a member that slept through this has rows of the older version, and finds no way on.
    const [seq, tip] = [head.seq + 1, randomUUID()];
    await session.query('delete from onair.commits');
    await session.query(
      "insert into onair.commits (seq, first, batch, body, at) values ($1, $1, $2, '[]', clock_timestamp())",
      [seq, tip],
    );
    await session.query('update onair.head set seq = $1, tip = $2, schema_version = $3, next_ids = $4, program = $5', [
      seq,
      tip,
      schema.version,
      JSON.stringify(Object.fromEntries(state.nextIds)),
      schema.program ?? null,
    ]);
  });
}

async function writeRows(session: Session, { collections }: RawState): Promise<void> {
  for (const [name, rows] of collections) {
    const all = [...rows.values()];
    for (let at = 0; at < all.length; at += TOGETHER) {
      const part = all.slice(at, at + TOGETHER);
      await session.query(
        `insert into onair.rows (collection, id, version, row)
          select $1, x.i, x.v, x.r::json from unnest($2::bigint[], $3::bigint[], $4::text[]) x (i, v, r)`,
        [
          name,
          part.map(({ row }) => row.id),
          part.map(({ version }) => version),
          part.map(({ row }) => JSON.stringify(row)),
        ],
      );
    }
  }
}
