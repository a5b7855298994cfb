/** The first start of a server: its store is empty, and somebody has to be able to sign in. */
import type { Logger } from 'pino';
import { bootstrap } from '../../auth/bootstrap.ts';
import { systemClock } from '../../domain/time/clock.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { Config } from '../settings/config.ts';
import { writeCredential } from '../settings/credentials.ts';

/** Creates the first user of an empty store, and says where its token and password are. `url` is the key of the token in the credentials file. */
export async function firstStart(store: Store, url: string, config: Config, log: Logger): Promise<void> {
  const { bootstrapToken: token, bootstrapPassword: password } = config;
  let path = '';
  const keep = (credential: string): void => void (path = writeCredential(url, credential));
  // A log stays, and with it all that was written there: where nobody reads a password at a terminal, none is made.
  const initialPassword = process.stderr.isTTY ? password : (password ?? null);
  const first = await bootstrap({ store, clock: systemClock, token, password: initialPassword, keep });
  if (first === undefined) return;
  log.info({ path }, `first start: user admin was created; its API token is in ${path}`);
  if (password !== undefined) return;
  // This is written at any log level, because the password cannot be read again later.
  if (first.password === null)
    log
      .child({}, { level: 'info' })
      .info('first start: set a password for the sign-in with: onair user password admin');
  else process.stderr.write(`Sign in to the page as admin with the password ${first.password} (shown this once)\n`);
}
