/**
 * The tables of the shared store, in a schema of their own. Rows are JSON as the member wrote it: no query reads into them, because their
 * indexes are in the memory of each member; `json` keeps their text, of which `jsonb` would refuse some and reorder the rest. History is not in
 * memory, so it has columns.
 */
import { randomUUID } from 'node:crypto';
import { HISTORY_NAMES, RESIDENT_NAMES, type HistoryName } from '../../../domain/ports/collections.ts';
import { instantOf, isPartitioned, isSearched, SQL_COLUMNS, SQL_TYPES, sqlNameOf, tableOf } from './columns.ts';
import type { Session } from './connection.ts';
import { FUNCTIONS, LAYOUT } from './functions.ts';

/** Any number that no other program would take. */
const CREATION_LOCK = 7_026_111_901;

/** The head is written by each commit: a page with room keeps its versions together. Log bodies live for an hour and are not worth compressing. */
const TABLES = [
  `create table onair.head (one boolean primary key default true check (one), seq bigint not null, tip uuid not null,
    schema_version int not null, layout int not null, store_id uuid not null, next_ids jsonb not null, program text,
    importing boolean not null default false, confirmed_at timestamptz) with (fillfactor = 10)`,
  'create table onair.commits (seq bigint primary key, first bigint not null, batch uuid not null, body text not null, at timestamptz not null)',
  'alter table onair.commits alter column body set storage external',
  `create table onair.rows (collection text collate "C", id bigint, version bigint not null, row json not null,
    primary key (collection, id)) with (fillfactor = 80)`,
  'create table onair.leases (name text primary key, holder text not null, token bigint not null, expires_at timestamptz not null)',
  `create table onair.members (id uuid primary key, name text, program text, speaks int not null, seq bigint not null,
    started_at timestamptz not null, renewed_at timestamptz not null)`,
];

/** Columns that are looked for beside the instant; more indexes would cost each commit more than they save. */
const INDEXED: Partial<Record<HistoryName, readonly string[]>> = {
  events: ['livestream_id'],
  pastFirings: ['schedule_id', 'livestream_id'],
  audienceMinutes: ['livestream_id'],
};

function historyTable(name: HistoryName): string[] {
  const table = tableOf(name);
  const instant = instantOf(name);
  const columns = SQL_COLUMNS[name].map((column) => {
    const isNeeded = column.name === instant || column.name === '"key"';
    return `${column.name} ${SQL_TYPES[column.kind]}${isNeeded ? ' not null' : ''}`;
  });
  const key = isPartitioned(name) ? `id, ${instant}` : '"key"';
  const all = [
    'id bigint not null',
    ...columns,
    ...(isSearched(name) ? ['folded text collate "C"'] : []),
    'row json not null',
  ];
  return [
    `create table ${table} (${all.join(', ')}, primary key (${key}))${isPartitioned(name) ? ` partition by range (${instant})` : ''}`,
    `create index on ${table} (${instant})`,
    ...(INDEXED[name] ?? []).map((column) => `create index on ${table} (${column}, id)`),
    // It takes what belongs to no month, so that a commit never fails for want of a partition.
    ...(isPartitioned(name) ? [`create table ${table}_other partition of ${table} default`] : []),
  ];
}

/** A view for each collection, for people with a SQL client. */
function views(): string[] {
  return RESIDENT_NAMES.map(
    (name) =>
      `create or replace view onair.all_${sqlNameOf(name)} as select id, version, row from onair.rows where collection = '${name}'`,
  );
}

export interface Head {
  readonly seq: number;
  readonly tip: string;
  readonly schemaVersion: number;
  readonly layout: number;
  readonly storeId: string;
  readonly nextIds: Readonly<Record<string, number>>;
  readonly program: string | undefined;
  readonly isImporting: boolean;
}

/** Makes the schema where there is none; one of several members that start at once does. */
export async function createSchema(
  session: Session,
  schemaVersion: number,
  program: string | undefined,
): Promise<void> {
  await session.transaction(async () => {
    await session.query(`select pg_advisory_xact_lock(${CREATION_LOCK})`);
    // The catalogue itself is read: to_regclass may answer what this session had looked up before it waited for the lock.
    const [[schemas, heads] = []] = await session.query(
      `select (select count(*) from pg_namespace where nspname = 'onair'),
        (select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'onair' and c.relname = 'head')`,
    );
    if (heads === '1') return extendSchema(session);
    if (schemas === '0') await session.query('create schema onair');
    for (const text of [...TABLES, ...HISTORY_NAMES.flatMap(historyTable), ...views(), ...FUNCTIONS])
      await session.query(text);
    const tip = randomUUID();
    await session.query(
      'insert into onair.head (seq, tip, schema_version, layout, store_id, next_ids, program) values (0, $1, $2, $3, $4, $5, $6)',
      [tip, schemaVersion, LAYOUT, randomUUID(), '{}', program ?? null],
    );
    // The log begins with what the first members know as their tip.
    await session.query(
      "insert into onair.commits (seq, first, batch, body, at) values (0, 0, $1, '[]', clock_timestamp())",
      [tip],
    );
  });
}

/** Adds what the tables of an earlier version lack; members of that version go on with functions of their own. */
async function extendSchema(session: Session): Promise<void> {
  if ((await readHead(session)).layout >= LAYOUT) return;
  const found = await session.query(
    "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'onair'",
  );
  const tables = new Set(found.map(([name]) => `onair.${name}`));
  const missing = HISTORY_NAMES.filter((name) => !tables.has(tableOf(name)));
  for (const text of [...missing.flatMap(historyTable), ...views(), ...FUNCTIONS]) await session.query(text);
  await session.query('update onair.head set layout = $1', [LAYOUT]);
}

export async function readHead(session: Session, lock = ''): Promise<Head> {
  const [row] = await session.query(
    `select seq, tip, schema_version, layout, store_id, next_ids, program, importing from onair.head ${lock}`,
  );
  const [seq, tip, schemaVersion, layout, storeId, nextIds, program, importing] = row as string[];
  return {
    seq: Number(seq),
    tip: tip!,
    schemaVersion: Number(schemaVersion),
    layout: Number(layout),
    storeId: storeId!,
    nextIds: JSON.parse(nextIds!) as Record<string, number>,
    program: program ?? undefined,
    isImporting: importing === 't',
  };
}
