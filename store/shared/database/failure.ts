/** Errors of the database, by what they mean for the write or read that met them. */

/** The connection is gone, or the database takes none: the outcome of what was under way is unknown. */
export class DatabaseAway extends Error {}

/** The SQLSTATE of an answer of the database; undefined for an error of the connection. */
export function sqlState(error: unknown): string | undefined {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/u.test(code) && severity !== undefined ? code : undefined;
}

/**
 * The connection is of no use any more. Errors of it (08), shutdowns (57P0), too many connections (53300), a transaction that was ended for it
 * (25P03, 25P04), one that it is in and should not be, or the other way round (25001, 25P01, 25P02), a statement that it has forgotten or holds
 * already (26, 42P05) or that was planned for other tables (0A), and a commit of which nobody knows whether it was made (40003).
 */
const AWAY = /^(?:08...|0A...|25001|25P0[1-4]|26...|40003|42P05|53300|57P0[1-5])$/u;

/**
 * The database refuses the write, and always will: a value (22), a row that breaks a constraint (21, 23), too much of it (54), or a fault of our
 * own text (42601). All else may pass: no memory or disk (53), an error of the disk (58), read-only (25006), a lock that did not come (55P03), a
 * conflict (40) or a cancellation (57014), rights, tables or functions that are missing while the database is restored (28, 3D, 3F, 42), and
 * whatever is not known here. Nothing was written then.
 */
const CONTENT = /^(?:2[123]...|54...|42601)$/u;

/** Whether an error of the driver means that the connection is of no use any more. */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || AWAY.test(state);
}

/** `content`: the database refuses what was written, and always will; or the fault is our own. */
export type FailureKind = 'away' | 'temporary' | 'content';

/** Takes an error that came through a Session. */
export function failureKind(error: unknown): FailureKind {
  if (error instanceof DatabaseAway) return 'away';
  const state = sqlState(error);
  return state === undefined || CONTENT.test(state) ? 'content' : 'temporary';
}

/** The database knows no such user, password or database, or lets the user do nothing there: to ask again is in vain. */
export function isDenied(error: unknown): boolean {
  const original = error instanceof DatabaseAway ? (error.cause ?? error) : error;
  return /^(?:28|42501|3D000)/u.test(sqlState(original) ?? '');
}

export function messageOfFailure(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map((each) => messageOfFailure(each)).join(', ');
  return error instanceof Error ? error.message : String(error);
}
