/** The promises that a server must give before a write to it counts as durable. */
import { AppError } from '../../../domain/base/errors.ts';
import type { Session } from './connection.ts';
import { DatabaseAway } from './failure.ts';

const MIN_VERSION = 15;

/**
 * Reads that wait for the head, and writes, go to the primary. Rejects with DatabaseAway at a standby, which may become the primary; throws
 * AppError unavailable for a server that loses commits. Answers a warning, if any.
 */
export async function checkServer(session: Session): Promise<string | undefined> {
  const [row] = await session.query(
    `select current_setting('server_version_num')::int / 10000, pg_is_in_recovery(), current_setting('fsync'),
      current_setting('full_page_writes'), current_setting('synchronous_commit'), current_setting('synchronous_standby_names')`,
  );
  const [version, isStandby, fsync, pages, commit, standbys] = row as string[];
  if (Number(version) < MIN_VERSION)
    throw refused(`it is PostgreSQL ${version}, and ${MIN_VERSION} or newer is needed`, 'Upgrade the database.');
  if (isStandby === 't') throw new DatabaseAway('the server is a standby, which takes no writes');
  const off = [
    ...(fsync === 'off' ? ['fsync'] : []),
    ...(pages === 'off' ? ['full_page_writes'] : []),
    ...(commit === 'off' || commit === 'local' ? ['synchronous_commit'] : []),
  ];
  if (off.length > 0)
    throw refused(
      `${off.map((name) => `${name} = ${name === 'synchronous_commit' ? commit : 'off'}`).join(', ')} loses commits that were acknowledged`,
      `Set ${off.join(', ')} = on.`,
    );
  if (standbys !== '') return undefined;
  return (
    'The database has no synchronous standby (synchronous_standby_names is empty): what was acknowledged is lost with its disk, ' +
    'and a failover loses the last commits.'
  );
}

function refused(why: string, remedy: string): AppError {
  return new AppError('unavailable', `The database cannot be the store: ${why}.`, { remedy });
}

/** The isolation and the limits of a session that holds the head: a paused member must not keep it from the others. */
export const COMMIT_SESSION = ["set idle_in_transaction_session_timeout = '500ms'", "set lock_timeout = '5s'"];

/**
 * A commit that was under way when its connection broke may be visible here and not yet on the synchronous standby. A write of our own comes
 * back only once everything before it is there too.
 */
export async function confirmVisible(session: Session): Promise<void> {
  await session.query('update onair.head set confirmed_at = clock_timestamp()');
}
