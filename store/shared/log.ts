/** The log of commits: the one order that all members agree on. */
import { HISTORY_NAMES, isHistory, type HistoryName } from '../../domain/ports/collections.ts';
import { deepFreeze } from '../tables/plain-copy.ts';
import type { Commit, CommitBody, Operation, Replayed } from '../tables/tables.ts';
import { recordText } from './database/columns.ts';
import type { Cells, Session } from './database/connection.ts';
import { APPEND, SINCE } from './database/functions.ts';
import { isFollowed } from './recent-events.ts';

/** A point in the log: the last commit, and the batch that it came in. */
export interface Position {
  readonly seq: number;
  readonly tip: string;
}

/** Commits of one batch; `seq` is that of the last. */
export interface LoggedBatch {
  readonly seq: number;
  readonly first: number;
  readonly batch: string;
  readonly body: string;
}

export type Verdict =
  /** `done` of an append; `at_head` of a look. */
  | { readonly kind: 'done' | 'at_head' }
  | { readonly kind: 'behind'; readonly batches: readonly LoggedBatch[] }
  /** Other calls have stored their outcomes under these keys. */
  | { readonly kind: 'key'; readonly keys: readonly string[] }
  /** The database has lost commits that this member knows. */
  | { readonly kind: 'unknown_tip' }
  /** The log does not reach back to the position any more. */
  | { readonly kind: 'too_old' };

/** Throws on an answer that is none of the verdicts: no rows are no success. */
function verdictOf(rows: readonly Cells[]): Verdict {
  const kind = rows[0]?.[0];
  switch (kind) {
    case 'done':
    case 'at_head':
    case 'unknown_tip':
    case 'too_old':
      return { kind };
    case 'key':
      return { kind, keys: rows.map(([, , , , key]) => key!) };
    case 'behind':
      return {
        kind,
        batches: rows.map(([, seq, first, batch, body]) => ({
          seq: Number(seq),
          first: Number(first),
          batch: batch!,
          body: body!,
        })),
      };
    default:
      throw new Error(`The database answered ${String(kind)}, which is no verdict.`);
  }
}

export async function since(session: Session, { seq, tip }: Position, timeoutMs?: number): Promise<Verdict> {
  const text = `select verdict, seq, first, batch, body from ${SINCE}($1, $2)`;
  return verdictOf(await session.query(text, [seq, tip], { name: 'since', ...(timeoutMs && { timeoutMs }) }));
}

/** Rows are frozen, for they go into the tables as they are. */
export function bodiesOf({ body }: LoggedBatch): readonly Replayed[] {
  return deepFreeze(JSON.parse(body) as Replayed[]);
}

export interface Batch {
  readonly id: string;
  readonly position: Position;
  readonly commits: readonly Commit[];
  readonly values: readonly unknown[];
}

const PARAMETERS = 13 + 2 * HISTORY_NAMES.length;
const APPEND_QUERY = `select verdict, seq, first, batch, body from ${APPEND}(${Array.from(
  { length: PARAMETERS },
  (_, at) => `$${at + 1}`,
).join(', ')})`;

export async function append(session: Session, { values }: Batch): Promise<Verdict> {
  return verdictOf(await session.query(APPEND_QUERY, values, { name: 'append' }));
}

/** `nextIds` are those that the batch has raised; `nowMs` stands for the clock of the database in tests. */
export function batchOf(
  id: string,
  position: Position,
  commits: readonly Commit[],
  nextIds: Readonly<Record<string, number>>,
  nowMs?: number,
): Batch {
  const texts = new Texts();
  for (const { body } of commits) texts.add(body);
  const keys = commits.flatMap((commit) => commit.keys);
  const now = nowMs === undefined ? null : new Date(nowMs).toISOString();
  return {
    id,
    position,
    commits,
    values: [
      position.seq,
      position.tip,
      id,
      commits.length,
      ...texts.values(),
      JSON.stringify(nextIds),
      keys.length === 0 ? null : keys,
      now,
      ...texts.history(),
    ],
  };
}

/** Writes of a batch, in the form that `append` takes. */
class Texts {
  private readonly bodies: string[] = [];
  /** The last write of each row, because one statement may touch a row once. */
  private readonly rows = new Map<string, { readonly op: Operation; readonly text: string }>();
  private readonly records = new Map<HistoryName, Map<number | string, { columns: string; row: string }>>();

  add({ ops, nextIds }: CommitBody): void {
    const texts = ops.map((op) => this.addOperation(op));
    const next = nextIds === undefined ? '' : `,"nextIds":${JSON.stringify(nextIds)}`;
    this.bodies.push(`{"ops":[${texts.join(',')}]${next}}`);
  }

  values(): unknown[] {
    const written = {
      collections: [] as string[],
      ids: [] as number[],
      versions: [] as number[],
      rows: [] as string[],
    };
    const deleted: string[] = [];
    for (const { op, text } of this.rows.values()) {
      const [collection, id, version, row] = op;
      if (row === null) deleted.push(`{"c":"${collection}","i":${id}}`);
      else {
        written.collections.push(collection);
        written.ids.push(id);
        written.versions.push(version);
        written.rows.push(text);
      }
    }
    const arrays = written.ids.length === 0 ? [null, null, null, null] : Object.values(written);
    return [`[${this.bodies.join(',')}]`, ...arrays, listOrNull(deleted)];
  }

  history(): unknown[] {
    return HISTORY_NAMES.flatMap((name) => {
      const records = [...(this.records.get(name)?.values() ?? [])];
      return records.length === 0
        ? [null, null]
        : [`[${records.map(({ columns }) => columns).join(',')}]`, records.map(({ row }) => row)];
    });
  }

  private addOperation(op: Operation): string {
    const [collection, id, version, row] = op;
    const text = row === null ? 'null' : JSON.stringify(row);
    if (!isHistory(collection)) {
      this.rows.set(`${collection} ${id}`, { op, text });
      return `["${collection}",${id},${version},${text}]`;
    }
    let records = this.records.get(collection);
    if (records === undefined) this.records.set(collection, (records = new Map()));
    // The newest outcome of a key counts.
    const key = collection === 'idempotency' ? (row!['key'] as string) : id;
    records.set(key, { columns: recordText(collection, row!), row: text });
    return isFollowed(collection) ? `["${collection}",${id},${version},${text}]` : `["${collection}",${id},${version}]`;
  }
}

function listOrNull(items: readonly string[]): string | null {
  return items.length === 0 ? null : `[${items.join(',')}]`;
}
