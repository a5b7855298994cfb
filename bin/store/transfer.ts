/**
 * Export and import of the whole store. Both take the data folder's lock, so the server must be stopped; of a store in a database the export
 * goes beside running servers.
 */
import { constants, createReadStream } from 'node:fs';
import { access, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import { assertInstallation } from '../../domain/rules/installation/import-rules.ts';
import type { Store } from '../../domain/ports/store.ts';
import { namesIn } from '../../linux/folder.ts';
import { openStore } from '../../store/open.ts';
import { loadConfig, type Config } from '../settings/config.ts';
import { ALL_KEPT } from './history-kept.ts';
import { isShared, openSharedStore, openStoreOf } from './store-place.ts';

async function withStore(
  flags: Record<string, unknown>,
  openIn: (config: Config) => Promise<Store>,
  task: (store: Store) => Promise<void>,
): Promise<void> {
  const store = await openIn(loadConfig(flags, process.env, process.cwd()));
  try {
    await task(store);
  } finally {
    await store.close();
  }
}

/** A wrong folder is no empty installation. Rejects with AppError not_found. */
async function openFilled(config: Config): Promise<Store> {
  if (!isShared(config) && (await namesIn(join(config.data, 'store'))).length === 0)
    throw new AppError('not_found', `There is no store in ${config.data} that can be read; nothing was exported.`, {
      remedy: 'Name the data folder of the server with --data or ONAIR_DATA.',
    });
  return openStoreOf(config);
}

/** The file holds password and token hashes and the secrets of Destinations, so its mode is 0600. An existing file is not replaced. */
export async function exportStore(file: string, flags: Record<string, unknown>): Promise<void> {
  await withStore(flags, openFilled, async (store) => {
    const handle = await open(file, 'wx', 0o600).catch((cause: unknown) => {
      throw notWritten(file, cause);
    });
    let rows = 0;
    try {
      const pieces = store.exportDocument();
      let piece = await pieces.next();
      for (; piece.done !== true; piece = await pieces.next()) await handle.writeFile(piece.value);
      await handle.sync();
      rows = piece.value;
    } catch (cause) {
      // Half a document is of no use to anybody.
      await rm(file, { force: true });
      throw cause instanceof AppError ? cause : notWritten(file, cause);
    } finally {
      await handle.close();
    }
    process.stderr.write(`onair: ${rows} rows written to ${file}; it holds secrets, keep it safe.\n`);
  });
}

function notWritten(file: string, cause: unknown): AppError {
  return new AppError('conflict', `${file} cannot be written: ${(cause as Error).message}`, { cause });
}

export async function importStore(file: string, flags: Record<string, unknown>): Promise<void> {
  const notAnExport = (cause: unknown): AppError =>
    new AppError('invalid_input', `${file} is not an exported store: ${(cause as Error).message}`, { cause });
  await access(file, constants.R_OK).catch((cause: unknown) => {
    throw notAnExport(cause);
  });
  await withStore(flags, anyStoreIn, async (store) => {
    await store
      .importDocument(() => createReadStream(file, 'utf8'), assertInstallation)
      .catch((cause: unknown) => {
        throw cause instanceof SyntaxError ? notAnExport(cause) : cause;
      });
  });
  process.stderr.write(`onair: ${file} was imported.\n`);
}

/** An import may be what brings a lost store back, so a folder that has lost its store is no obstacle here. */
function anyStoreIn(config: Config): Promise<Store> {
  if (isShared(config)) return openSharedStore(config);
  const { data } = config;
  return openStore({ dir: join(data, 'store'), clock: systemClock, kind: 'lowdb', keptMs: ALL_KEPT });
}
