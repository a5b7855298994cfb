/** Errors of the database, by what they mean for the write or read that met them. */

/** The connection is gone, or the database takes none: the outcome of what was under way is unknown. */
export class DatabaseAway extends Error {}

/** The SQLSTATE of an answer of the database; undefined for an error of the connection. */
export function sqlState(error: unknown): string | undefined {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/u.test(code) && severity !== undefined ? code : undefined;
}

/** Class 08 are errors of the connection, 57P0x shutdowns; 53300 has no connection left, 25P03 has ended a transaction that was idle. */
const AWAY = /^(?:08...|57P0[1-5]|53300|25P0[34])$/u;

/**
 * No memory or disk (53), an error of the disk (58), read-only (25006), a lock that did not come (55P03), a conflict or a cancellation:
 * nothing was written, and the same may pass a moment later.
 */
const TEMPORARY = /^(?:53...|58...|25006|40...|55...|57014|XX...)$/u;

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
  return state !== undefined && TEMPORARY.test(state) ? 'temporary' : 'content';
}

export function messageOfFailure(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map((each) => messageOfFailure(each)).join(', ');
  return error instanceof Error ? error.message : String(error);
}
