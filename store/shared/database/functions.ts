/**
 * The functions that each member calls. Their names carry the number of the layout, so that members of two versions can run side by side
 * while one after the other is replaced.
 */
import { HISTORY_NAMES, type HistoryName } from '../../../domain/ports/collections.ts';
import { COMMITS } from './channels.ts';
import { isSearched, SQL_COLUMNS, SQL_TYPES, sqlNameOf, tableOf } from './columns.ts';

/** Grows with each change of tables or functions. 2: history has minutes of the audience. */
export const LAYOUT = 2;

export const APPEND = `onair.append_${LAYOUT}`;
export const SINCE = `onair.since_${LAYOUT}`;
export const CLAIM = `onair.claim_${LAYOUT}`;

const ANSWER = 'returns table (verdict text, seq bigint, first bigint, batch uuid, body text) language plpgsql';

/**
 * Answers what has been committed after position (p_seq, p_tip). `unknown_tip`: the database has another history than the member, which means that
 * commits are lost. `too_old`: the log no longer reaches back so far.
 */
const SINCE_TEXT = `create or replace function ${SINCE}(p_seq bigint, p_tip uuid) ${ANSWER} stable as $$
#variable_conflict use_column
declare
  h onair.head%rowtype;
  known uuid;
begin
  select * into strict h from onair.head;
  if h.seq = p_seq and h.tip = p_tip then
    return query select 'at_head', h.seq, null::bigint, null::uuid, null::text;
    return;
  end if;
  select c.batch into known from onair.commits c where c.seq = p_seq;
  if h.seq > p_seq and known is null and not exists (select from onair.commits c where c.seq <= p_seq) then
    return query select 'too_old', h.seq, null::bigint, null::uuid, null::text;
  elsif h.seq <= p_seq or known is distinct from p_tip then
    return query select 'unknown_tip', h.seq, null::bigint, null::uuid, null::text;
  else
    return query select 'behind', c.seq, c.first, c.batch, c.body from onair.commits c where c.seq > p_seq order by c.seq;
  end if;
end $$`;

/**
 * Rows come as texts in arrays, because PostgreSQL would unescape those that are parts of a larger JSON text, and refuse NUL and halves of
 * surrogate pairs in them.
 *
 * Appends a batch of commits when the member is at the head, which it locks. It is one transaction: rows, history, log and head together.
 * The verdict is explicit, because an answer without rows could be taken for success.
 */
const APPEND_TEXT = `create or replace function ${APPEND}(p_seq bigint, p_tip uuid, p_batch uuid, p_count int, p_body text,
  p_collections text[], p_ids bigint[], p_versions bigint[], p_rows text[], p_deleted json, p_next_ids jsonb, p_keys text[],
  p_now timestamptz${HISTORY_NAMES.map((name) => `, p_${sqlNameOf(name)} json, p_${sqlNameOf(name)}_rows text[]`).join('')}) ${ANSWER} as $$
#variable_conflict use_column
declare
  h onair.head%rowtype;
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_seq bigint := p_seq + p_count;
begin
  select * into strict h from onair.head for update;
  if h.seq <> p_seq or h.tip <> p_tip then
    return query select s.verdict, s.seq, s.first, s.batch, s.body from ${SINCE}(p_seq, p_tip) s;
    return;
  end if;
  if p_keys is not null then
    return query select 'key', null::bigint, null::bigint, null::uuid, i.key::text from onair.idempotency i
      where i.key = any (p_keys) and i.expires_at > v_now;
    if found then
      return;
    end if;
  end if;
  if p_rows is not null then
    insert into onair.rows (collection, id, version, row)
      select x.c, x.i, x.v, x.r::json from unnest(p_collections, p_ids, p_versions, p_rows) x (c, i, v, r)
      on conflict (collection, id) do update set version = excluded.version, row = excluded.row;
  end if;
  if p_deleted is not null then
    delete from onair.rows r using json_to_recordset(p_deleted) x (c text, i bigint)
      where r.collection = x.c and r.id = x.i;
  end if;
${HISTORY_NAMES.map(insertText).join('')}  insert into onair.commits (seq, first, batch, body, at) values (v_seq, p_seq + 1, p_batch, p_body, clock_timestamp());
  update onair.head set seq = v_seq, tip = p_batch, next_ids = next_ids || p_next_ids;
  perform pg_notify('${COMMITS}', v_seq::text);
  return query select 'done', v_seq, p_seq + 1, p_batch, null::text;
end $$`;

function insertText(name: HistoryName): string {
  const columns = SQL_COLUMNS[name].map((column) => [column.name, SQL_TYPES[column.kind]] as const);
  const all = [['id', 'bigint'], ...columns, ...(isSearched(name) ? [['folded', 'text']] : [])];
  const names = all.map(([column]) => column).join(', ');
  const types = all.map((column) => column.join(' ')).join(', ');
  const parameter = `p_${sqlNameOf(name)}`;
  const again =
    name === 'idempotency'
      ? `\n      on conflict (key) do update set ${[...all, ['row']].map(([column]) => `${column} = excluded.${column}`).join(', ')}`
      : '';
  return `  if ${parameter} is not null then
    insert into ${tableOf(name)} (${names}, row)
      select ${names}, row::json
      from rows from (json_to_recordset(${parameter}) as (${types}), unnest(${parameter}_rows)) x (${names}, row)${again};
  end if;
`;
}

/**
 * Takes or renews a lease by the database's clock; no row while another holder has it. A renewal in time keeps its token, a holder that
 * takes the lease after it ran out gets a new one.
 */
const CLAIM_TEXT = `create or replace function ${CLAIM}(p_name text, p_holder text, p_ttl_ms double precision, p_now timestamptz)
returns table (token bigint, expires_ms double precision) language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz := date_trunc('milliseconds', coalesce(p_now, clock_timestamp()));
  v_end timestamptz := v_now + p_ttl_ms * interval '1 millisecond';
begin
  return query insert into onair.leases as l (name, holder, token, expires_at) values (p_name, p_holder, 1, v_end)
    on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at,
      token = l.token + case when l.expires_at <= v_now then 1 else 0 end
    where l.holder = excluded.holder or l.expires_at <= v_now
    returning l.token, extract(epoch from l.expires_at)::double precision * 1000;
end $$`;

export const FUNCTIONS: readonly string[] = [SINCE_TEXT, APPEND_TEXT, CLAIM_TEXT];
