/**
 * The store of a data folder may have gone while the rest of the installation is there: a volume is not mounted, or a copy was brought back
 * in part. A start would silently begin an empty store there, with a new administrator.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../linux/folder.ts';
import { AppError } from '../../domain/base/errors.ts';
import { systemClock } from '../../domain/time/clock.ts';
import type { Store } from '../../domain/ports/store.ts';
import { openStore } from '../../store/open.ts';
import { keepFormerStore, withWayBack } from '../backup/former-store.ts';
import { RESTORING } from '../backup/restoring.ts';
import { ALL_KEPT } from './history-kept.ts';
import { VERSION } from '../version.ts';

/** One of these files is there from the first write on. */
const STORE_FILE = /^(?:format$|journal-|snapshot-)/u;

/** Throws AppError unavailable as openStore does, and when the folder shows that a store belongs there and is missing. */
export async function openStoreIn(data: string, warn?: (message: string) => void, keptMs = ALL_KEPT): Promise<Store> {
  const dir = join(data, 'store');
  if (existsSync(join(data, RESTORING))) throw cutShort(data);
  const remains = await remainsIn(data);
  if (remains.length > 0 && !(await namesIn(dir)).some((name) => STORE_FILE.test(name)))
    throw lost(data, remains, `${dir} has no journal and no snapshot`);
  const store = await openStore({
    dir,
    clock: systemClock,
    kind: 'lowdb',
    program: VERSION,
    keptMs,
    beforeMigration: (found) => keepFormerStore(data, found, warn),
    ...(warn && { warn }),
  }).catch((error: unknown) => {
    throw withWayBack(error, data);
  });
  if (remains.length === 0 || (await store.find('users', { limit: 1 })).total > 0) return store;
  await store.close();
  throw lost(data, remains, `the store in ${dir} is empty`);
}

function cutShort(data: string): AppError {
  const detail = `A restore into the data folder ${data} is under way, or was cut short: ${RESTORING} is in it. Nothing was started.`;
  return new AppError('unavailable', detail, {
    remedy: `Where no onair restore runs, remove ${data} and restore again.`,
    facts: { data },
  });
}

/** Only a server with rows in its store leaves these files: Assets, and the key of links that it gave out. */
async function remainsIn(data: string): Promise<string[]> {
  const assets = join(data, 'assets');
  const buckets = await Promise.all((await namesIn(assets)).map((bucket) => namesIn(join(assets, bucket))));
  const isFilled = buckets.flat().some((name) => !name.startsWith('.'));
  const remains = [...(isFilled ? ['assets'] : []), ...(existsSync(join(data, 'link.key')) ? ['link.key'] : [])];
  // The folder of a Device is no evidence by itself, for a Device may have been here before the server.
  return remains.length > 0 && existsSync(join(data, 'device')) ? [...remains, 'device'] : remains;
}

function lost(data: string, remains: string[], what: string): AppError {
  const detail = `The data folder ${data} holds ${remains.join(', ')} of an installation, but ${what}. Nothing was started.`;
  const remedy =
    'Put the store folder back, from a copy or by mounting its volume, or fill it with onair import; to begin anew, empty the data folder or name another one with ONAIR_DATA.';
  return new AppError('unavailable', detail, { remedy, facts: { data, remains } });
}
