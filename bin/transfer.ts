/** Export and import of the whole store. Both take the data folder's lock, so the server must be stopped. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { Store, StoreDocument } from '../domain/store.ts';
import { openStore } from '../store/open.ts';
import { loadConfig } from './config.ts';

async function withStore(flags: Record<string, unknown>, task: (store: Store) => Promise<void>): Promise<void> {
  const { data } = loadConfig(flags, process.env, process.cwd());
  const store = await openStore({ dir: join(data, 'store'), clock: systemClock, kind: 'lowdb' });
  try {
    await task(store);
  } finally {
    await store.close();
  }
}

/** The file holds password and token hashes and the secrets of Destinations: mode 0600. An existing file is not replaced. */
export async function exportStore(file: string, flags: Record<string, unknown>): Promise<void> {
  await withStore(flags, async (store) => {
    const document = await store.exportDocument();
    try {
      writeFileSync(file, `${JSON.stringify(document, null, 1)}\n`, { mode: 0o600, flag: 'wx' });
    } catch (cause) {
      throw new AppError('conflict', `${file} cannot be written: ${(cause as Error).message}`, { cause });
    }
    const rows = Object.values(document.collections).reduce((sum, list) => sum + list.length, 0);
    process.stderr.write(`onair: ${rows} rows written to ${file}; it holds secrets, keep it safe.\n`);
  });
}

export async function importStore(file: string, flags: Record<string, unknown>): Promise<void> {
  let document: StoreDocument;
  try {
    document = JSON.parse(readFileSync(file, 'utf8')) as StoreDocument;
  } catch (cause) {
    throw new AppError('invalid_input', `${file} is not an exported store: ${(cause as Error).message}`, { cause });
  }
  await withStore(flags, (store) => store.importDocument(document));
  process.stderr.write(`onair: ${file} was imported.\n`);
}
