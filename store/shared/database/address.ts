/** The address of the database as `ONAIR_STORE` has it. What is refused here is told without the address, because a password may be in it. */
import { readFileSync } from 'node:fs';
import type { ClientConfig } from 'pg';
import { AppError } from '../../../domain/base/errors.ts';

export interface PostgresAddress {
  /** A host name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Left out: PGPASSWORD, or the password file of the user. */
  readonly password?: string;
  /** `disable` is for what never leaves the machine, or a network that is trusted by name. */
  readonly sslmode: 'verify-full' | 'disable';
  /** Path of the certificates of the authorities; the system's own where left out. */
  readonly sslrootcert?: string;
}

const PARAMETERS = ['host', 'sslmode', 'sslrootcert'];
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/u;
const FORM = 'postgres://user@host:5432/database, with ?sslmode=verify-full&sslrootcert=/path where it is needed';

/** Answers what is wrong with the text, without repeating it; undefined for nothing. */
export function addressIssue(text: string): string | undefined {
  const address = parsed(text);
  return typeof address === 'string' ? address : undefined;
}

export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:/iu.test(text);
}

/** Throws AppError invalid_input. */
export function parseAddress(text: string): PostgresAddress {
  const address = parsed(text);
  if (typeof address !== 'string') return address;
  throw new AppError('invalid_input', `The address of the database ${address}.`, {
    errors: [{ field: 'store', code: 'invalid', message: address }],
  });
}

/** The address for logs and people: never the password, and no parameter. */
export function shownAddress({ host, port, database, user }: PostgresAddress): string {
  const place = host.startsWith('/') ? `socket ${host}` : `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return `database ${database} at ${place}, as ${user}`;
}

function parsed(text: string): PostgresAddress | string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return `is no URL; it has the form ${FORM}`;
  }
  if (!isPostgresAddress(text)) return `must begin with postgres://; it has the form ${FORM}`;
  const parameters = new Map(url.searchParams);
  const stray = [...parameters.keys()].find((name) => !PARAMETERS.includes(name));
  if (stray !== undefined) return `has the parameter ${stray}; known are ${PARAMETERS.join(', ')}`;
  const socket = parameters.get('host');
  if (socket !== undefined && !socket.startsWith('/')) return 'has a host parameter that is not the folder of a socket';
  const host = socket ?? url.hostname.replace(/^\[(.*)\]$/u, '$1');
  const database = decoded(url.pathname.replace(/^\//u, ''));
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (database === undefined || user === undefined || password === undefined)
    return 'has a percent sign that encodes nothing';
  if (host === '') return `names no host; it has the form ${FORM}`;
  if (database === '' || database.includes('/')) return `names no database; it has the form ${FORM}`;
  if (user === '') return `names no user; it has the form ${FORM}`;
  const isNear = socket !== undefined || LOOPBACK.test(host);
  const sslmode = parameters.get('sslmode') ?? (isNear ? 'disable' : 'verify-full');
  if (sslmode !== 'verify-full' && sslmode !== 'disable')
    return 'has an sslmode that lets others pretend to be the database; verify-full and disable are known';
  const sslrootcert = parameters.get('sslrootcert');
  return {
    host,
    port: url.port === '' ? 5432 : Number(url.port),
    database,
    user,
    ...(password !== '' && { password }),
    sslmode,
    ...(sslrootcert !== undefined && { sslrootcert }),
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The form of the session is set here, and not by the server: dates, and what a COMMIT waits for (checked in settings.ts). */
export function clientOptions(address: PostgresAddress, purpose: string, options = ''): ClientConfig {
  const { host, port, database, user, password, sslmode, sslrootcert } = address;
  const ca = sslrootcert === undefined ? {} : { ca: readFileSync(sslrootcert, 'utf8') };
  return {
    host,
    port,
    database,
    user,
    ...(password !== undefined && { password }),
    ssl: sslmode === 'disable' ? false : { rejectUnauthorized: true, ...ca },
    application_name: `onair ${purpose}`,
    options: `-c timezone=UTC -c client_min_messages=warning -c jit=off${options}`,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}
