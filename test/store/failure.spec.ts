/** Disks that refuse: the waiting hear of it, memory goes back to what was acknowledged, and a restart finds just that. */
import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openStore } from '../../store/open.ts';
import type { FillerSaid } from './fixtures/filler.ts';
import { auditIds, fillUntilRefused } from './filling.ts';
import { bundledProgram, Program } from './program.ts';
import { auditRow, isAppError, mountedFolder, openedStore, temporaryFolder } from './support.ts';

const smallDisk = (t: TestContext): Promise<string | undefined> =>
  mountedFolder(t, '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs');

describe('a disk that refuses', () => {
  it('a full one: writes are refused for good, reads go on, a restart after making room has all that was acknowledged', async (t) => {
    const disk = await smallDisk(t);
    if (disk === undefined) return;
    const ballast = join(disk, 'ballast');
    await writeFile(ballast, Buffer.alloc(200 * 1024));
    const dir = join(disk, 'store');
    const store = await openedStore({ dir });
    const told: number[] = [];
    store.onChange((changes) => told.push(...changes.map(({ id }) => id)));
    const { acknowledged, refusals } = await fillUntilRefused(store);
    assert.ok(acknowledged.length > 500, `only ${acknowledged.length} rows fitted`);
    for (const { code, message } of refusals) {
      assert.equal(code, 'unavailable');
      assert.match(message, /journal-00000001\.jsonl failed \(ENOSPC.*restart/u);
    }
    assert.deepEqual(await auditIds(store), acknowledged);
    assert.deepEqual(told, acknowledged);
    assert.equal(store.health().ok, false);
    assert.match(store.health().problem ?? '', /ENOSPC/u);
    await rm(ballast);
    const { length } = acknowledged;
    for (const call of [
      () => store.tx((tx) => tx.insert('audit', auditRow('late'))),
      () => store.claim('a', 'b', 1_000),
      () => store.checkpoint(),
    ]) {
      await assert.rejects(call, isAppError('unavailable', /ENOSPC/u));
    }
    assert.deepEqual(await auditIds(store), acknowledged);
    await store.close();
    const again = await openedStore({ dir });
    assert.deepEqual(await auditIds(again), acknowledged);
    assert.ok((await again.tx((tx) => tx.insert('audit', auditRow('late')))).id > acknowledged[length - 1]!);
  });

  it('one without room for a snapshot: commits go on in the journal', async (t) => {
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
    await add();
    assert.deepEqual(store.health(), { ok: true, problem: null });
    assert.deepEqual((await readdir(dir)).filter((name) => name.endsWith('.tmp')), []); // prettier-ignore
    await store.close();
    assert.match(warnings.join(), /No snapshot at the stop.*ENOSPC/u);
    const again = await openedStore({ dir });
    assert.deepEqual(await auditIds(again), ids);
  });

  it('one with a limit on the size of files, in a process of its own', async (t) => {
    const dir = await temporaryFolder(t);
    const limited = ['sh', '-c', 'ulimit -f 512; exec "$0" "$@"'];
    const filler = new Program<FillerSaid>(t, await bundledProgram(t, 'filler'), [dir], limited);
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
