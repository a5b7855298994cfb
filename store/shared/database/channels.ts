/** The channels on which the database tells the members something. */
import type { Session } from './connection.ts';

/** Payload: the position of the last commit. */
export const COMMITS = 'onair';
/** The members say at once how far they have applied the log. */
export const RENEWALS = 'onair_renew';
/** Payload: a notice of one member to all. */
export const NOTICES = 'onair_notice';

export type Channel = typeof COMMITS | typeof RENEWALS | typeof NOTICES;

export async function listenTo(session: Session): Promise<void> {
  for (const channel of [COMMITS, RENEWALS, NOTICES]) await session.query(`listen ${channel}`);
}

export async function tell(session: Session, channel: Channel, payload: string, timeoutMs: number): Promise<void> {
  await session.query('select pg_notify($1, $2)', [channel, payload], { name: 'tell', timeoutMs });
}
