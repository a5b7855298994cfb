/** Shared parts of the store's tests: folders and stores that go away, rows of a collection. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod/v3';
import type { TestContext } from 'node:test';
import type { CollectionName, CollectionRows } from '../../domain/ports/collections.ts';
import { AppError, type ErrorCode } from '../../domain/base/errors.ts';
import { livestreamCreate } from '../../domain/shapes/broadcasts/livestream.ts';
import type { Store } from '../../domain/ports/store.ts';
import { openStore, type OpenOptions } from '../../store/open.ts';
import { cleanUp } from '../helpers/clean-up.ts';

export type New<C extends CollectionName> = Omit<CollectionRows[C], 'id'> & { id?: number };

const openStores = new Set<{ dir: string; store: Store }>();

/** Goes with the test, after the stores in it were closed and `before` has run. */
export async function temporaryFolder(t: TestContext, before: () => unknown = () => undefined): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'onair-store-'));
  cleanUp(t, async () => {
    for (const opened of openStores) {
      if (!opened.dir.startsWith(folder)) continue;
      openStores.delete(opened);
      await opened.store.close();
    }
    before();
    // What is written in it by the clock may come in between.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return folder;
}

/** `dir` is in a temporary folder, which closes the store when it goes. */
export async function openedStore(options: Omit<OpenOptions, 'kind'> & { dir: string }): Promise<Store> {
  const store = await openStore({ warn: () => undefined, ...options, kind: 'lowdb' });
  openStores.add({ dir: options.dir, store });
  return store;
}

/** A folder on a file system of its own; undefined, with the reason given to the test, where none may be mounted. */
export async function mountedFolder(t: TestContext, ...options: string[]): Promise<string | undefined> {
  let mounted = false;
  // Lazily: a test that failed may have left a file open.
  const dir = await temporaryFolder(t, () => mounted && execFileSync('umount', ['-l', dir]));
  try {
    execFileSync('mount', [...options, dir], { stdio: 'pipe' });
    mounted = true;
    return dir;
  } catch (error) {
    t.skip(`no file system could be mounted: ${String((error as { stderr?: Buffer }).stderr ?? error).trim()}`);
    return undefined;
  }
}

export function isAppError(code: ErrorCode, text = /^/u, remedy = /^/u): (error: unknown) => boolean {
  return (error) => {
    if (!(error instanceof AppError) || error.code !== code || !text.test(error.message)) throw error;
    if (!remedy.test(error.extras.remedy ?? '')) throw error;
    return true;
  };
}

const PLAIN_LIVESTREAM = z
  .object(livestreamCreate)
  .parse({ name: 'plain', channelId: 1, encodingId: 1, publishingId: 1 });

export function livestream(fields: Partial<CollectionRows['livestreams']> & { name: string }): New<'livestreams'> {
  const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
  return { ...stamps, ...PLAIN_LIVESTREAM, created_by: 'admin', ...fields };
}

export function auditRow(user: string): New<'audit'> {
  return {
    at: '2026-01-01T00:00:00.000Z',
    user,
    token_kid: null,
    via: 'rest',
    operation: 'addLivestream',
    resource: 'Livestreams',
    resource_id: null,
    outcome: 'ok',
    request_id: 'request',
    changed: ['name'],
  };
}

export function actionRow(created_by: string): New<'plannedActions'> {
  return {
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    livestreamId: 1,
    type: 'stop',
    execute_at: '2026-01-01T00:00:00.000Z',
    status: 'pending',
    created_by,
  } as New<'plannedActions'>;
}

export function eventRow(fields: Partial<New<'events'>> = {}): New<'events'> {
  return {
    at: '2026-01-01T00:00:00.000Z',
    livestreamId: 1,
    kind: 'started',
    severity: 'info',
    message: 'On air.',
    data: {},
    ...fields,
  };
}

export function assetRow(fileType: string, filename: string): New<'assets'> {
  return { fileType, filename, size_bytes: 1, created_at: '2026-01-01T00:00:00.000Z' } as New<'assets'>;
}
