/** `onair store move` brings everything from the store of the settings into another one, while no server runs on either. */
import { createHash, randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { systemClock, toIso } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Store } from '../../domain/ports/store.ts';
import { namesIn, syncFolder } from '../../linux/folder.ts';
import { lockFolder } from '../../store/files/lock.ts';
import { openStore } from '../../store/open.ts';
import { addressIssue, isPostgresAddress, parseAddress } from '../../store/shared/database/address.ts';
import { loadConfig, type Config } from '../settings/config.ts';
import { ALL_KEPT } from './history-kept.ts';
import { openStoreOf, shownStore } from './store-place.ts';
import { VERSION } from '../version.ts';

type Place = Pick<Config, 'data' | 'store'>;

/** When it fails, the store that is there stays the one that counts: nothing of it is changed. */
export async function moveStore({ to, ...flags }: { to: string } & Record<string, unknown>): Promise<void> {
  const { data, store } = loadConfig(flags, process.env, process.cwd());
  const source: Place = { data, store };
  const target: Place = { data, store: targetOf(to) };
  if (source.store === target.store)
    throw new AppError('conflict', `The store is ${shownStore(source)} already: there is nothing to move.`);
  const from = await openStoreOf(source, { ...alone(), warn });
  try {
    const into = await openTarget(target);
    try {
      const rows = await copied(from, into);
      process.stderr.write(
        `onair: ${rows} rows are in ${shownStore(target)}, and their hash is that of ${shownStore(source)}.\n`,
      );
    } finally {
      await into.close();
    }
    if (!isPostgresAddress(target.store)) await putInPlace(data);
  } finally {
    await from.close();
  }
  process.stderr.write(`onair: ${afterwards(source, target)}\n`);
}

/** Filled beside the store of the data folder, and in its place only when it is whole. */
const UNFINISHED = 'store-moving';

/** The store that lies there, such as that of an earlier move into the database, is kept under another name. */
async function putInPlace(data: string): Promise<void> {
  const place = join(data, 'store');
  if ((await namesIn(place)).length > 0) {
    const lock = await lockFolder(place);
    const kept = `${place}-${toIso(Date.now()).replace(/\.\d+|[-:]/gu, '')}`;
    await rename(place, kept);
    await lock.release();
    warn(`the store that was in ${place} is in ${kept} now; remove it when nobody wants it any more.`);
  } else await rm(place, { recursive: true, force: true });
  await rename(join(data, UNFINISHED), place);
  await syncFolder(data);
}

/** The command line is there for everybody to read, so no password may be in it. */
function targetOf(to: string): string {
  const issue = to === 'lowdb' ? undefined : addressIssue(to);
  if (issue !== undefined)
    throw refused(
      isPostgresAddress(to)
        ? `--to is the URL of a database and ${issue}`
        : '--to must be lowdb, or the URL of a database',
    );
  if (to !== 'lowdb' && parseAddress(to).password !== undefined)
    throw refused('--to has a password, which everybody on this machine can read in the list of processes');
  return to;
}

function refused(what: string): AppError {
  return new AppError('invalid_input', `${what}.`, {
    errors: [{ field: 'to', code: 'invalid', message: what }],
    remedy: 'Give the password in PGPASSWORD, or in the password file of PostgreSQL.',
  });
}

function warn(message: string): void {
  process.stderr.write(`onair: ${message}\n`);
}

/** As a server would: while it runs, none starts. */
function alone(): { server: { id: string; name: string } } {
  return { server: { id: randomUUID(), name: `${hostname()} (onair store move)` } };
}

async function openTarget({ data, store }: Place): Promise<Store> {
  if (isPostgresAddress(store))
    return openStore({ kind: 'postgres', url: store, program: VERSION, keptMs: ALL_KEPT, ...alone(), warn });
  const dir = join(data, UNFINISHED);
  // One that was cut short.
  await rm(dir, { recursive: true, force: true });
  return openStore({ kind: 'lowdb', dir, clock: systemClock, program: VERSION, keptMs: ALL_KEPT });
}

/** Answers the number of rows. Throws AppError conflict where the target holds rows, internal where it is not the same afterwards. */
async function copied(from: Store, into: Store): Promise<number> {
  await into.importDocument(() => from.exportDocument());
  const [before, after] = [await digestOf(from), await digestOf(into)];
  if (before.hash === after.hash && before.rows === after.rows) return after.rows;
  throw new AppError(
    'internal',
    `The copy is not the same: ${before.rows} rows became ${after.rows}, or some of them others.`,
    {
      remedy: 'Empty the target, and report this; the store that was moved is as it was.',
    },
  );
}

/** The hash of all rows in their order and of the next ids, which are 1 where a store does not name them. */
async function digestOf(store: Store): Promise<{ hash: string; rows: number }> {
  const hash = createHash('sha256');
  const pieces = store.exportDocument();
  let piece = await pieces.next();
  for (; piece.done !== true; piece = await pieces.next())
    hash.update(
      piece.value.replace(/^ "exported_at": .*\n/mu, '').replace(/^ "nextIds": (.*),\n/mu, (_line, text: string) => {
        const raised = Object.entries(JSON.parse(text) as Record<string, number>).filter(([, next]) => next > 1);
        return JSON.stringify(raised.sort(([one], [other]) => (one < other ? -1 : 1)));
      }),
    );
  return { hash: hash.digest('hex'), rows: piece.value };
}

function afterwards(source: Place, target: Place): string {
  if (isPostgresAddress(target.store))
    return `set ONAIR_STORE to that address, then start the server. ${join(source.data, 'store')} is as it was: keep it until you trust the database.`;
  return 'take ONAIR_STORE away, or set it to lowdb, then start the server. The database is as it was.';
}
