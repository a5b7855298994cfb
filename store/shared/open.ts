/** Opens the shared store: the schema, the rows, and the connections that follow the log. */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../domain/base/errors.ts';
import type { Store } from '../../domain/ports/store.ts';
import { SharedStore } from './shared-store.ts';
import { Tables } from '../tables/tables.ts';
import { parseAddress, shownAddress, type PostgresAddress } from './database/address.ts';
import { listenTo } from './database/channels.ts';
import { Connection, type Session } from './database/connection.ts';
import { DatabaseAway, failureKind, isDenied, messageOfFailure, sqlState } from './database/failure.ts';
import { DatabaseClock } from './database/database-clock.ts';
import { load, type Loaded } from './database/load.ts';
import { enterMember } from './membership.ts';
import { bringForward } from './migrate.ts';
import type { Connections, PostgresOptions } from './deps.ts';
import { WAITS } from './database/patience.ts';
import { createSchema, readHead } from './database/schema.ts';
import { checkServer, COMMIT_SESSION, confirmVisible } from './database/settings.ts';

/** A database that starts at the same time as its members takes some seconds. */
const START_PATIENCE_MS = 15_000;
const START_PAUSE_MS = 250;

/** Throws AppError unavailable, invalid_input for an address that is none. */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const address = parseAddress(options.url);
  const connections = connectionsTo(address, options.warn);
  const memberId = options.server?.id ?? randomUUID();
  try {
    const loaded = await withPatience(() => start(connections, options, memberId), options.onWaiting);
    const tables = new Tables();
    tables.load(loaded.state, [], loaded.head.seq);
    return new SharedStore({
      ...options,
      ...connections,
      address,
      tables,
      loaded,
      memberId,
      waits: { ...WAITS, ...options.waits },
    });
  } catch (cause) {
    await Promise.all([connections.commit, connections.side, connections.feed].map((each) => each.close()));
    throw cause instanceof AppError ? cause : unusable(address, cause);
  }
}

function connectionsTo(address: PostgresAddress, warn: (message: string) => void): Connections {
  let warned: string | undefined;
  const check = async (session: Session): Promise<void> => {
    const warning = await checkServer(session);
    if (warning !== undefined && warning !== warned) warn(warning);
    warned = warning;
  };
  /** Nothing is to be confirmed before there is a schema, nor where nothing is written. */
  const confirm = async (session: Session): Promise<void> => {
    const [[head = null, readOnly] = []] = await session.query(
      "select to_regclass('onair.head'), current_setting('transaction_read_only')",
    );
    if (head !== null && readOnly === 'off') await confirmVisible(session);
  };
  const heard = { listener: (_channel: string, _payload: string) => undefined as void };
  return {
    heard,
    commit: new Connection({
      address,
      purpose: 'commit',
      onOpen: async (session) => {
        await check(session);
        for (const text of COMMIT_SESSION) await session.query(text);
        await confirm(session);
      },
    }),
    side: new Connection({
      address,
      purpose: 'side',
      onOpen: async (session) => {
        await check(session);
        await confirm(session);
      },
    }),
    feed: new Connection({
      address,
      purpose: 'feed',
      onOpen: async (session) => {
        await check(session);
        await listenTo(session);
        await confirm(session);
      },
      onNotification: (channel, payload) => heard.listener(channel, payload),
    }),
  };
}

async function start(
  { commit, feed }: Connections,
  { schema, beforeMigration, server }: PostgresOptions,
  memberId: string,
): Promise<Loaded & { clock: DatabaseClock }> {
  const session = await commit.open();
  await createSchema(session, schema.version, schema.program);
  const head = await readHead(session);
  if (head.isImporting)
    throw new AppError('unavailable', 'The import into the database was cut short: what is there is not whole.', {
      remedy: 'Drop the schema (drop schema onair cascade), then import the document again.',
    });
  const facts = { id: memberId, name: server?.name, program: schema.program, speaks: schema.version };
  await enterMember(session, facts, head.seq);
  await bringForward(session, schema, memberId, beforeMigration).catch(async (error: unknown) => {
    await session.query('delete from onair.members where id = $1', [memberId]).catch(() => undefined);
    throw error;
  });
  const clock = new DatabaseClock();
  await clock.measure(session);
  const loaded = await load(await feed.open());
  return { ...loaded, clock };
}

/** A refusal is final; a database that is not there yet is asked again for a while, and without an end by who says so in the meantime. */
async function withPatience<T>(task: () => Promise<T>, onWaiting?: (reason: string) => void): Promise<T> {
  const end = performance.now() + START_PATIENCE_MS;
  for (;;) {
    try {
      return await task();
    } catch (error) {
      if (!mayComeBack(error) || (onWaiting === undefined && performance.now() > end)) throw error;
      onWaiting?.(messageOfFailure(error));
    }
    await new Promise((resolve) => setTimeout(resolve, START_PAUSE_MS));
  }
}

/** A certificate that is wrong, or a name that is unknown to it, is no database that is about to start. */
function mayComeBack(error: unknown): boolean {
  if (isDenied(error)) return false;
  if (failureKind(error) === 'temporary') return true;
  if (!(error instanceof DatabaseAway)) return false;
  const { code, message } = (error.cause ?? {}) as { code?: unknown; message?: string };
  if (NO_TLS.test(message ?? '')) return false;
  return (
    typeof code !== 'string' ||
    sqlState(error.cause) !== undefined ||
    /^(?:ECONN|ETIMEDOUT|EHOST|ENET|EPIPE|EAI_|ENOTFOUND)/u.test(code)
  );
}

/** Errors of the database may name user and database, and never a password. */
function unusable(address: PostgresAddress, cause: unknown): AppError {
  const isAway = cause instanceof DatabaseAway;
  const original = isAway && cause.cause !== undefined ? cause.cause : cause;
  return new AppError('unavailable', `The ${shownAddress(address)} cannot be used: ${messageOfFailure(cause)}.`, {
    cause,
    remedy: remedyFor(original),
  });
}

/** The driver's words about a server that answers its question for TLS with no. */
const NO_TLS = /does not support SSL/u;
/** PostgreSQL's words about a client without TLS where pg_hba.conf wants it. */
const WANTS_TLS = /no encryption|SSL off/u;
const UNTRUSTED = /^(?:DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|CERT_|ERR_TLS_CERT)/u;

function remedyFor(original: unknown): string {
  const words = messageOfFailure(original);
  if (NO_TLS.test(words))
    return 'Have the database speak TLS (ssl = on in postgresql.conf), or, where nobody else is on the way to it, end ONAIR_STORE with ?sslmode=disable.';
  if (WANTS_TLS.test(words)) return 'The database wants TLS: set sslmode=verify-full in ONAIR_STORE.';
  if (UNTRUSTED.test(String((original as { code?: unknown }).code)))
    return 'Name the certificate of its authority in ONAIR_STORE (?sslmode=verify-full&sslrootcert=/path), and the host by a name that is in its certificate.';
  return isDenied(original)
    ? 'Give that user the database, and the right to make a schema in it; its password may be in PGPASSWORD or in the password file of PostgreSQL.'
    : 'Start the database, or correct ONAIR_STORE.';
}
