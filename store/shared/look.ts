/** Looks at a database without changing anything, for whoever wants to know whether it can be the store. */
import { AppError } from '../../domain/base/errors.ts';
import { parseAddress, shownAddress } from './database/address.ts';
import { Connection } from './database/connection.ts';
import { messageOfFailure } from './database/failure.ts';
import { GONE_SECONDS } from './membership.ts';
import { checkServer } from './database/settings.ts';

export interface DatabaseLook {
  /** undefined: nothing of ours is there yet. */
  readonly schemaVersion: number | undefined;
  /** Members that were heard of lately. */
  readonly members: number;
  readonly megabytes: number;
  /** Names what the server does not promise, though it can be used. */
  readonly warning: string | undefined;
}

/** Throws AppError unavailable with the reason. */
export async function lookAt(url: string): Promise<DatabaseLook> {
  const address = parseAddress(url);
  const connection = new Connection({ address, purpose: 'look' });
  try {
    const session = await connection.open();
    const warning = await checkServer(session);
    const [[size, head = null] = []] = await session.query(
      "select pg_database_size(current_database()), to_regclass('onair.head')",
    );
    const megabytes = Number(size) / 1e6;
    if (head === null) return { schemaVersion: undefined, members: 0, megabytes, warning };
    const [[version, members] = []] = await session.query(
      `select h.schema_version, (select count(*) from onair.members where renewed_at > clock_timestamp() - interval '${GONE_SECONDS} seconds')
        from onair.head h`,
    );
    return { schemaVersion: Number(version), members: Number(members), megabytes, warning };
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('unavailable', `The ${shownAddress(address)} cannot be used: ${messageOfFailure(cause)}.`, {
      cause,
    });
  } finally {
    await connection.close();
  }
}
