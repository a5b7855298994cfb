/** Disks that refuse: the waiting hear of it, memory goes back to what was acknowledged, and a restart finds just that. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Store } from '../../domain/ports/store.ts';
import { openStore } from '../../store/open.ts';
import type { FillerSaid } from './fixtures/filler.ts';
import type { StarvedSaid } from './fixtures/starved.ts';
import { auditIds, fillUntilRefused } from './filling.ts';
import { crashedCopy, journalsOf } from './folders.ts';

import { Program } from './program.ts';
import { actionRow, auditRow, isAppError, mountedFolder, openedStore, temporaryFolder } from './support.ts';
import { until } from '../helpers/until.ts';

const smallDisk = (t: TestContext, size = '1m'): Promise<string | undefined> =>
  mountedFolder(t, '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs');

/** Within the 5 s that are promised, three times over. */
async function restored(store: Store): Promise<void> {
  await until('the store has room again', () => store.health().shortage === undefined);
}

/** Takes every byte that the disk has. */
function fillUp(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(4096));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    closeSync(file);
  }
}

async function actionIds(store: Store): Promise<number[]> {
  return (await store.find('plannedActions', {})).rows.map(({ id }) => id);
}

describe('a disk that refuses', () => {
  it('a full disk refuses what has no room, reads go on, and with room again writes do, with all that was acknowledged', async (t) => {
    const disk = await smallDisk(t);
    if (disk === undefined) return;
    const ballast = join(disk, 'ballast');
    await writeFile(ballast, Buffer.alloc(200 * 1024));
    const dir = join(disk, 'store');
    const store = await openedStore({ dir });
    const ids: number[] = [];
    store.onChange((changes) => ids.push(...changes.map(({ id }) => id)));
    const { acknowledged, refusals } = await fillUntilRefused(store);
    assert.ok(acknowledged.length > 500, `only ${acknowledged.length} rows fitted`);
    for (const { code, message } of refusals) {
      assert.equal(code, 'unavailable');
      assert.match(message, /disk of the data folder is full.*Delete.*within seconds/u);
    }
    assert.deepEqual(await auditIds(store), acknowledged);
    assert.deepEqual(ids, acknowledged);
    assert.equal(store.health().shortage?.level, 'none');
    assert.match(store.health().problem ?? '', /nearly full/u);
    await rm(ballast);
    await restored(store);
    acknowledged.push((await store.tx((tx) => tx.insert('audit', auditRow('late')))).id);
    assert.ok(await store.claim('a', 'b', 1_000));
    const crashed = await openedStore({ dir: await crashedCopy(t, dir) });
    assert.deepEqual(await auditIds(crashed), acknowledged);
    await store.close();
    assert.deepEqual(await auditIds(await openedStore({ dir })), acknowledged);
  });

  it('a disk that others fill to its last byte takes what cannot wait for long, and snapshots wait', async (t) => {
    const disk = await smallDisk(t, '64m');
    if (disk === undefined) return;
    const dir = join(disk, 'store');
    let store = await openedStore({ dir });
    const ids = await store.tx((tx) =>
      Array.from({ length: 1_500 }, () => tx.insert('plannedActions', actionRow('a')).id),
    );
    fillUp(join(disk, 'filler'));
    // A start on the full disk has what was taken before it.
    await store.close();
    store = await openedStore({ dir });
    const levels = new Set<string | undefined>();
    const text = 'x'.repeat(4_000);
    for (const id of ids.slice(0, 800)) {
      await store.tx((tx) => {
        tx.delete('plannedActions', id);
        tx.insert('audit', auditRow(text));
      });
      levels.add(store.health().shortage?.level);
    }
    assert.deepEqual([...levels].filter(Boolean), ['low', 'very_low']);
    assert.equal(store.health().ok, true);
    await assert.rejects(store.checkpoint(), { code: 'ENOSPC' });
    const crashed = await openedStore({ dir: await crashedCopy(t, dir) });
    assert.deepEqual(await auditIds(crashed), await auditIds(store));
    await rm(join(disk, 'filler'));
    await restored(store);
    await store.checkpoint();
  });

  it('a torn write on a disk on which no room can be kept is cut off, and the next finds the journal whole', async (t) => {
    const disk = await smallDisk(t);
    if (disk === undefined) return;
    const bin = await temporaryFolder(t);
    for (const program of ['env', 'flock']) await symlink(`/usr/bin/${program}`, join(bin, program));
    const { PATH } = process.env;
    process.env['PATH'] = bin;
    const warnings: string[] = [];
    const dir = join(disk, 'store');
    const store = await openedStore({ dir, warn: (message) => warnings.push(message) });
    await until('it has tried', () => warnings.length > 0).finally(() => (process.env['PATH'] = PATH));
    await store.tx((tx) => tx.insert('plannedActions', actionRow('a')));
    const { acknowledged } = await fillUntilRefused(store);
    assert.match(warnings[0]!, /No room can be kept for the journal.*fallocate/u);
    const [journal] = await journalsOf(dir);
    assert.ok(acknowledged.length > 500 && (await readFile(journal!, 'utf8')).endsWith('\n'));
    // Half of a commit that is much too large stands in the file before the disk says no.
    const large = store.tx((tx) => tx.insert('audit', auditRow('x'.repeat(2_000_000))));
    const behind = store.tx((tx) => tx.insert('audit', auditRow('planned over it')));
    for (const refused of [large, behind]) await assert.rejects(refused, isAppError('unavailable', /full/u));
    await store.tx((tx) => tx.delete('plannedActions', 1));
    assert.deepEqual(await auditIds(store), acknowledged);
    const crashed = await openedStore({ dir: await crashedCopy(t, dir) });
    assert.deepEqual(await auditIds(crashed), acknowledged);
    assert.equal((await crashed.find('plannedActions', {})).total, 0);
  });

  it('a store does not make a snapshot of what its disk has refused', async (t) => {
    const disk = await smallDisk(t, '32m');
    if (disk === undefined) return;
    const dir = join(disk, 'store');
    const store = await openedStore({ dir });
    const ids = await store.tx((tx) =>
      Array.from({ length: 5_000 }, () => tx.insert('plannedActions', actionRow('a')).id),
    );
    const checkpoint = store.checkpoint();
    const refused = store.tx((tx) => tx.insert('plannedActions', actionRow('x'.repeat(40_000_000))));
    await Promise.all([
      assert.rejects(refused, isAppError('unavailable', /full/u)),
      assert.rejects(checkpoint, /refused meanwhile|this was not written/u),
    ]);
    assert.deepEqual(await actionIds(await openedStore({ dir: await crashedCopy(t, dir) })), ids);
    await store.checkpoint();
    assert.deepEqual(await actionIds(await openedStore({ dir: await crashedCopy(t, dir) })), ids);
  });

  it('a disk without room for a snapshot lets commits go on in the journal', async (t) => {
    const disk = await smallDisk(t);
    if (disk === undefined) return;
    const dir = join(disk, 'store');
    const warnings: string[] = [];
    const store = await openedStore({ dir, warn: (message) => warnings.push(message) });
    const ids: number[] = [];
    const add = async (): Promise<void> => {
      ids.push((await store.tx((tx) => tx.insert('audit', auditRow('x'.repeat(10_000))))).id);
    };
    for (let row = 0; row < 60; row += 1) await add();
    await assert.rejects(store.checkpoint(), { code: 'ENOSPC' });
    const left = await Promise.all(
      (await readdir(dir)).filter((name) => name.startsWith('audit-')).map(async (name) => stat(join(dir, name))),
    );
    assert.ok(
      left.every(({ size }) => size === 0),
      'what was written of it has given its room back',
    );
    await add();
    assert.deepEqual(store.health(), { ok: true, problem: null });
    assert.deepEqual(
      (await readdir(dir)).filter((name) => name.endsWith('.tmp')),
      [],
    );
    await store.close();
    assert.match(warnings.join(), /No snapshot at the stop.*ENOSPC/u);
    const again = await openedStore({ dir });
    assert.deepEqual(await auditIds(again), ids);
  });

  it('a store with a limit on the size of files, in a process of its own, refuses what is beyond it', async (t) => {
    const dir = await temporaryFolder(t);
    const limited = ['sh', '-c', 'ulimit -f 512; exec "$0" "$@"'];
    const filler = new Program<FillerSaid>(t, 'filler', [dir], limited);
    const { acknowledged, refusals, held, later, health } = await filler.expect();
    assert.equal(await filler.ended(), 0);
    assert.ok(acknowledged.length > 200, `only ${acknowledged.length} rows fitted`);
    assert.deepEqual(new Set(refusals.map(({ code }) => code)), new Set(['unavailable']));
    assert.match(refusals[0]!.message, /EFBIG/u);
    assert.deepEqual(held, acknowledged);
    assert.equal(later, 'unavailable');
    assert.equal(health.ok, false);
    const store = await openedStore({ dir });
    assert.deepEqual(await auditIds(store), acknowledged);
    await store.tx((tx) => tx.insert('audit', auditRow('late')));
  });

  it('a store without a free descriptor writes on, makes no snapshot, and makes one when there are some again', async (t) => {
    const starved = new Program<StarvedSaid>(t, 'starved', [await temporaryFolder(t)]);
    await starved.expect();
    const withLimit = (limit: number): Promise<StarvedSaid> => {
      execFileSync('prlimit', ['--pid', String(starved.pid), `--nofile=${limit}:`]);
      starved.tell('now');
      return starved.expect();
    };
    const without = await withLimit(1);
    assert.match(without.checkpoint, /EMFILE/u);
    const sound = { written: 'done', health: { ok: true, problem: null } };
    assert.deepEqual(without, { ...sound, checkpoint: without.checkpoint });
    assert.deepEqual(await withLimit(500), { ...sound, checkpoint: 'done' });
  });

  it('a folder that cannot be made or read is said at the start', async (t) => {
    const dir = await temporaryFolder(t);
    await writeFile(join(dir, 'file'), '');
    await assert.rejects(
      openStore({ kind: 'lowdb', dir: join(dir, 'file') }),
      isAppError('unavailable', /file cannot be used: .*EEXIST/u),
    );
    await assert.rejects(
      openStore({ kind: 'lowdb', dir: join(dir, 'file', 'deeper') }),
      isAppError('unavailable', /ENOTDIR/u),
    );
  });
});
