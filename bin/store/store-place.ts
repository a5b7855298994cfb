/** The place of the store as the settings have it: in the data folder, or in a database that several servers share. */
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { AppError } from '../../domain/base/errors.ts';
import type { Store } from '../../domain/ports/store.ts';
import { namesIn } from '../../linux/folder.ts';
import { makeFolder } from '../../store/files/files.ts';
import { lockFolder } from '../../store/files/lock.ts';
import { openStore } from '../../store/open.ts';
import type { ServerFacts } from '../../store/shared/membership.ts';
import { isPostgresAddress, parseAddress, shownAddress } from '../../store/shared/database/address.ts';
import type { Config } from '../settings/config.ts';
import { openStoreIn } from './former-installation.ts';
import { ALL_KEPT, keptBy } from './history-kept.ts';
import { VERSION } from '../version.ts';

type Place = Pick<Config, 'data' | 'store'>;

interface Opening {
  readonly warn?: (message: string) => void;
  readonly keptMs?: typeof ALL_KEPT;
  /** Called when this process has to be started anew, because the database has another history than it knows. */
  readonly onEnd?: (reason: string) => void;
  readonly server?: ServerFacts;
  /** See OpenOptions. */
  readonly onWaiting?: (reason: string) => void;
}

export function isShared({ store }: Pick<Config, 'store'>): boolean {
  return isPostgresAddress(store);
}

/** Without the password that may be in it. */
export function shownStore({ store }: Pick<Config, 'store'>): string {
  return isPostgresAddress(store) ? shownAddress(parseAddress(store)) : store;
}

/** Throws AppError unavailable as openStore does, and when an installation would begin anew beside one that is there. */
export async function openStoreOf(place: Place, opening: Opening = {}): Promise<Store> {
  if (!isShared(place)) return openStoreIn(place.data, opening.warn, opening.keptMs);
  const store = await openSharedStore(place, opening);
  const dir = join(place.data, 'store');
  if (store.counts().users > 0 || (await namesIn(dir)).length === 0) return store;
  await store.close();
  throw new AppError(
    'unavailable',
    `ONAIR_STORE names the ${shownStore(place)}, which is empty, and the data folder has a store: ${dir}. Nothing was started.`,
    {
      remedy:
        'Bring it there with onair export and onair import, or take that folder away to begin anew in the database.',
      facts: { dir },
    },
  );
}

/** The folder whose lock a server holds while it runs: two of them on one data folder would command one Device agent. */
export function lockedFolder(place: Place): string {
  return join(place.data, isShared(place) ? 'member' : 'store');
}

/**
 * The store of a server, which ends with its data folder's lock given back, and the id of the server where others may share the store.
 */
export async function openServerStore(
  config: Config,
  log: Pick<Logger, 'warn' | 'fatal'>,
  onWaiting: (reason: string) => void,
): Promise<{ store: Store; endStore: () => Promise<void>; memberId: string | undefined }> {
  const release = await lockBeside(config);
  try {
    const memberId = isShared(config) ? await memberIdIn(lockedFolder(config)) : undefined;
    const store = await openStoreOf(config, {
      warn: (message) => log.warn(message),
      onWaiting,
      keptMs: keptBy(config),
      // Broadcasts stay on air, and who starts this program starts it again.
      onEnd: (reason) => {
        log.fatal(reason);
        process.exit(1);
      },
      ...(memberId !== undefined && { server: { id: memberId, name: hostname() } }),
    });
    return { store, memberId, endStore: () => store.close().finally(release) };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Made once: a server that was killed and starts again is the same member, and not one beside itself. */
async function memberIdIn(dir: string): Promise<string> {
  const path = join(dir, 'id');
  const known = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  if (known !== '') return known.trim();
  const id = randomUUID();
  await writeFile(path, `${id}\n`, { mode: 0o600, flush: true });
  return id;
}

/** lowdb takes the lock of its folder itself; beside a database it is taken here. */
async function lockBeside(place: Place): Promise<() => Promise<void>> {
  if (!isShared(place)) return async () => undefined;
  const dir = lockedFolder(place);
  await makeFolder(dir);
  const lock = await lockFolder(dir);
  return () => lock.release();
}

export function openSharedStore({ store: url }: Pick<Config, 'store'>, opening: Opening = {}): Promise<Store> {
  return openStore({ kind: 'postgres', url, program: VERSION, keptMs: ALL_KEPT, ...opening });
}
