/**
 * `onair backup` reads the data folder itself, with the rights of its owner: it needs no token, no stop of the server, and no server. No
 * API gives out what a backup holds, so no token of an administrator opens it.
 */
import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { systemClock, toIso } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import { captureStore, ChangedMeanwhile } from '../../store/embedded/capture.ts';
import { archiveOf, type Manifest } from '../../system/backup/archive.ts';
import { sealed } from '../../system/backup/sealing.ts';
import { loadConfig } from '../settings/config.ts';
import { isShared } from '../store/store-place.ts';
import { VERSION } from '../version.ts';
import { contentsOf } from './contents.ts';
import { givenPassphrase } from './passphrase.ts';

export interface BackupFlags {
  config?: string;
  data?: string;
  passphraseFile?: string;
}

/** The file holds every secret that a restore needs, so its mode is 0600. An existing file is not replaced. */
export async function backup(file: string, { passphraseFile, ...flags }: BackupFlags): Promise<void> {
  const passphrase = givenPassphrase(passphraseFile, process.env);
  const { data, store } = loadConfig(flags, process.env, process.cwd());
  if (isShared({ store })) throw inDatabase();
  // Encoders on air go first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const dir = join(data, 'store');
  if (!existsSync(dir)) throw noStore(data);
  const manifest = await manifestFor(dir);
  let at = manifest.begun_at;
  const archive = archiveOf(
    manifest,
    contentsOf(data, () => (at = toIso(systemClock.now()))),
  );
  const bytes = await written(file, passphrase === undefined ? archive : sealed(archive, passphrase));
  const form = passphrase === undefined ? 'it holds secrets, keep it safe' : 'encrypted';
  process.stderr.write(`onair: ${file} holds ${data} as of ${at} (${bytes} bytes; ${form}).\n`);
}

function inDatabase(): AppError {
  return new AppError('conflict', 'The store of this server is in a database, which onair backup does not copy.', {
    remedy:
      'Back up the database by its own means (pg_dump, or a base backup), and the rest of the data folder by copying it.',
  });
}

function noStore(data: string): AppError {
  return new AppError('not_found', `The data folder ${data} has no store, so there is nothing to back up.`, {
    remedy: 'Run it on the machine of the server, and name its data folder with --data or ONAIR_DATA.',
  });
}

async function manifestFor(dir: string): Promise<Manifest> {
  const { schemaVersion, close } = await captureStore(dir);
  await close();
  return { format: 'onair-backup', version: 1, program: VERSION, schemaVersion, begun_at: toIso(systemClock.now()) };
}

/** Answers the number of bytes. What fails leaves no file behind, and neither does a signal that ends it. */
async function written(file: string, content: AsyncIterable<Uint8Array>): Promise<number> {
  const handle = await open(file, 'wx', 0o600).catch((cause: unknown) => {
    throw notWritten(file, cause);
  });
  const ending = new AbortController();
  const end = (signal: NodeJS.Signals): void => ending.abort(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
  try {
    for await (const piece of content) {
      if (ending.signal.aborted)
        throw new AppError(
          'unavailable',
          `The backup was broken off (${String(ending.signal.reason)}); ${file} is removed.`,
        );
      await handle.writeFile(piece);
    }
    await handle.sync();
    return (await handle.stat()).size;
  } catch (cause) {
    await rm(file, { force: true });
    if (cause instanceof AppError) throw cause;
    throw cause instanceof ChangedMeanwhile ? changedMeanwhile(cause) : notWritten(file, cause);
  } finally {
    await handle.close();
  }
}

function changedMeanwhile(cause: Error): AppError {
  return new AppError('unavailable', `The store let go of old history while it was read: ${cause.message}.`, {
    cause,
    remedy:
      'Run onair backup again. If it says so each time, a file of the store is missing: see the log of the server.',
  });
}

function notWritten(file: string, cause: unknown): AppError {
  const isTaken = (cause as NodeJS.ErrnoException).code === 'EEXIST';
  const what = isTaken ? 'it exists already, and no file is replaced' : (cause as Error).message;
  return new AppError('conflict', `${file} was not written: ${what}.`, {
    cause,
    remedy: isTaken
      ? 'Give another name, or remove that file first.'
      : 'Choose a folder that can be written and has room.',
  });
}
