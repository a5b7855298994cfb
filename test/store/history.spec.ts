/** History in files: it leaves memory, a start reads none of it, and no crash loses or doubles a row. */
import assert from 'node:assert/strict';
import { cp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { toIso } from '../../domain/time/clock.ts';
import type { Store } from '../../domain/ports/store.ts';
import { Segment } from '../../store/history/segment.ts';
import { openStore } from '../../store/open.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { until } from '../helpers/until.ts';
import { auditIds } from './filling.ts';
import { addOne, crashedCopy, lineStarts, overwrite } from './folders.ts';
import { someEvent } from './suite-history.ts';
import { auditRow, eventRow, isAppError, openedStore, temporaryFolder } from './support.ts';

const at = new Date().toISOString();

async function audit(store: Store, count: number): Promise<void> {
  await store.tx((tx) => {
    for (let left = count; left > 0; left -= 1) tx.insert('audit', { ...auditRow(`user ${left}`), at });
  });
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

async function sizeOf(dir: string, ending: string): Promise<number> {
  const names = (await readdir(dir)).filter((name) => name.endsWith(ending));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(dir, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Bytes that this process has read from files so far, as the kernel counts them. */
async function bytesRead(): Promise<number> {
  return Number(/^rchar: (\d+)$/mu.exec(await readFile('/proc/self/io', 'utf8'))![1]);
}

async function bytesOfStart(dir: string): Promise<number> {
  const before = await bytesRead();
  const store = await openStore({ kind: 'lowdb', dir });
  const read = (await bytesRead()) - before;
  await store.close();
  return read;
}

/** With `inFiles` rows that a snapshot says are in files, and `behind` more in the journal. */
async function filled(t: TestContext, inFiles: number, behind: number): Promise<string> {
  const dir = await temporaryFolder(t);
  const store = await openedStore({ dir });
  await audit(store, inFiles);
  await store.checkpoint();
  if (behind > 0) await audit(store, behind);
  return crashedCopy(t, dir);
}

describe('history', () => {
  it('history leaves memory long before a snapshot is due', async (t) => {
    const dir = await temporaryFolder(t);
    const store = await openedStore({ dir });
    await audit(store, 3_000);
    await until('the rows in a file', async () => (await sizeOf(dir, '.rows')) > 3_000 * 200);
    assert.deepEqual(
      (await readdir(dir)).filter((name) => name.startsWith('snapshot')),
      [],
    );
    assert.deepEqual(await auditIds(store), upTo(3_000));
    // No snapshot knows of the file: what is in it counts for nothing, and comes out of the journal.
    const again = await openedStore({ dir: await crashedCopy(t, dir) });
    assert.deepEqual(await auditIds(again), upTo(3_000));
  });

  it('history is filtered by a field that is in no record, in files and in memory, and sorted by none such', async (t) => {
    const store = await openedStore({ dir: await temporaryFolder(t) });
    const insert = (request_id: string) => store.tx((tx) => tx.insert('audit', { ...auditRow('ana'), at, request_id }));
    await insert('wanted');
    await audit(store, 600);
    await store.checkpoint();
    await insert('wanted');
    const ids = async (where: object): Promise<number[]> =>
      (await store.find('audit', { where: { ...where }, sort: { field: 'id', descending: true } })).rows.map(
        ({ id }) => id,
      );
    assert.deepEqual(await ids({ request_id: 'wanted' }), [602, 1]);
    assert.deepEqual(await ids({ request_id: 'wanted', user: 'ana' }), [602, 1]);
    assert.deepEqual(await ids({ request_id: 'wanted', user: 'nobody' }), []);
    assert.equal((await store.find('audit', { where: { request_id: 'wanted' }, limit: 1 })).total, 2);
    await assert.rejects(
      store.find('audit', { sort: { field: 'request_id', descending: false } }),
      isAppError('invalid_input'),
    );
  });

  it('history is not read by a start, however much of it there is', async (t) => {
    const few = await temporaryFolder(t);
    const many = await temporaryFolder(t);
    for (const [dir, count] of [
      [few, 100],
      [many, 20_000],
    ] as const) {
      const store = await openedStore({ dir });
      await addOne(store, 'a');
      await audit(store, count);
      await store.close();
    }
    const inFiles = await sizeOf(many, '.rows');
    assert.ok(inFiles > 100 * (await sizeOf(few, '.rows')));
    await bytesOfStart(few);
    const [least, most] = [await bytesOfStart(few), await bytesOfStart(many)];
    t.diagnostic(`${most} bytes read with ${inFiles} bytes of history, ${least} with a hundredth of it`);
    assert.ok(most < 2 * least && most < inFiles / 50, `${most} bytes were read`);
  });

  it('history is there once after a crash between its files and the snapshot that is to name them', async (t) => {
    const dir = await temporaryFolder(t);
    const store = await openedStore({ dir });
    for (const count of [700, 700]) {
      await audit(store, count);
      const before = await crashedCopy(t, dir);
      await store.checkpoint();
      await audit(store, 5);
      // The files as they are after the checkpoint, snapshot and journals as they were before it.
      const cut = await crashedCopy(t, before);
      for (const name of await readdir(dir))
        if (name.startsWith('audit-')) await cp(join(dir, name), join(cut, name), { force: true });
      const acknowledged = await auditIds(await openedStore({ dir: before }));
      assert.deepEqual(await auditIds(await openedStore({ dir: cut })), acknowledged);
    }
    assert.deepEqual(await auditIds(store), upTo(1_410));
  });

  it('history has what a torn write to its files left behind cut off', async (t) => {
    const dir = await filled(t, 50, 5);
    const path = join(dir, 'audit-00000001.rows');
    const whole = await readFile(path);
    await overwrite(path, whole.length, Buffer.from('00000000 {"half of a ro'));
    await overwrite(join(dir, 'audit-00000007.words'), 0, Buffer.from('left over')).catch(() => undefined);
    const store = await openedStore({ dir });
    assert.deepEqual(await readFile(path), whole);
    assert.deepEqual(await auditIds(store), upTo(55));
    await store.checkpoint();
    assert.deepEqual(await auditIds(await openedStore({ dir: await crashedCopy(t, dir) })), upTo(55));
  });

  it('history that ends early or lacks a file stops the start, with the file, and nothing is changed', async (t) => {
    for (const ending of ['rows', 'records', 'words']) {
      for (const spoil of [(path: string) => truncate(path, 5), (path: string) => rm(path)]) {
        const dir = await filled(t, 50, 5);
        await spoil(join(dir, `audit-00000001.${ending}`));
        const refused = isAppError(
          'unavailable',
          /audit-00000001\.rows or one of its two neighbours.*Nothing was changed/u,
        );
        await assert.rejects(openStore({ kind: 'lowdb', dir }), refused);
        for (const name of await readdir(dir)) if (name.startsWith('audit-')) await rm(join(dir, name));
        // As the message says: without the files it goes on, and says what is gone.
        const warnings: string[] = [];
        const store = await openedStore({ dir, warn: (message) => warnings.push(message) });
        assert.deepEqual(await auditIds(store), [51, 52, 53, 54, 55]);
        assert.match(warnings.join(), /50 rows of audit are gone/u);
        await audit(store, 1);
        await store.checkpoint();
        assert.deepEqual(await auditIds(store), [51, 52, 53, 54, 55, 56]);
        await store.close();
      }
    }
  });

  it('a start looks at the newest files of history alone, and at the others behind it', async (t) => {
    const dir = await temporaryFolder(t);
    const clock = new FakeClock();
    const store = await openedStore({ dir, clock });
    for (let week = 1; week <= 10; week += 1) {
      await store.tx((tx) => tx.insert('events', eventRow({ at: toIso(clock.now()) })));
      await store.checkpoint();
      clock.advance(8 * 86_400_000);
    }
    await store.close();
    await rm(join(dir, 'events-00000002.records'));
    await truncate(join(dir, 'events-00000005.rows'), 20);
    for (const ending of ['rows', 'records', 'words']) await rm(join(dir, `events-00000007.${ending}`));
    await writeFile(join(dir, 'events-00000099.rows'), 'left over');
    const { mock } = t.mock.method(Segment.prototype, 'check');
    const warnings: string[] = [];
    const again = await openedStore({ dir, clock, warn: (message) => warnings.push(message) });
    assert.equal(mock.callCount(), 1);
    const readable = upTo(10).filter((id) => ![2, 5, 7].includes(id));
    assert.deepEqual(
      (await again.find('events', {})).rows.map(({ id }) => id),
      readable,
    );
    assert.equal(mock.callCount(), 10);
    for (const text of [
      /events-00000002\.rows or one/u,
      /events-00000005\.rows or one/u,
      /1 rows of events are gone: .*events-00000007/u,
    ])
      assert.equal(warnings.filter((warning) => text.test(warning)).length, 1, String(text));
    // What is brought back from a copy is there again at the next start: nothing of it was deleted.
    await again.tx((tx) => tx.insert('events', someEvent(13, clock.now())));
    await again.checkpoint();
    await again.close();
    const names = await readdir(dir);
    assert.ok(names.includes('events-00000002.rows') && names.includes('events-00000005.rows'));
    assert.ok(!names.includes('events-00000099.rows'));
  });

  it('history leaves out a damaged row of an answer, and says so', async (t) => {
    const dir = await filled(t, 50, 0);
    const path = join(dir, 'audit-00000001.rows');
    await overwrite(path, (await lineStarts(path))[9]! + 20, Buffer.from('!'));
    const warnings: string[] = [];
    const store = await openedStore({ dir, warn: (message) => warnings.push(message) });
    assert.deepEqual(
      await auditIds(store),
      upTo(50).filter((id) => id !== 10),
    );
    assert.match(warnings.join(), /1 rows in .*audit-00000001\.rows are damaged/u);
  });

  it('history that is old is dropped before anything of it is read', async (t) => {
    const dir = await temporaryFolder(t);
    const clock = new FakeClock();
    const store = await openedStore({ dir, clock });
    await store.tx((tx) => tx.insert('events', someEvent(1, clock.now())));
    await store.checkpoint();
    clock.advance(30 * 86_400_000);
    await store.tx((tx) => tx.insert('events', someEvent(2, clock.now())));
    await store.close();
    assert.equal((await readdir(dir)).filter((name) => name.endsWith('.rows')).length, 2);
    clock.advance(61 * 86_400_000);
    const again = await openedStore({ dir, clock });
    assert.deepEqual(
      (await again.find('events', {})).rows.map(({ id }) => id),
      [2],
    );
    await again.checkpoint();
    assert.deepEqual(
      (await readdir(dir)).filter((name) => name.endsWith('.rows')),
      ['events-00000002.rows'],
    );
    assert.deepEqual(
      (await again.find('events', {})).rows.map(({ id }) => id),
      [2],
    );
  });

  it('history goes on being read while it is moved', async (t) => {
    const dir = await temporaryFolder(t);
    const store = await openedStore({ dir });
    let writing = true;
    const read = async (): Promise<number> => {
      let reads = 0;
      for (; writing; reads += 1) {
        const { rows, total } = await store.find('audit', { sort: { field: 'id', descending: true }, limit: 500 });
        const newest = rows[0]?.id ?? 0;
        assert.equal(total, newest, 'each row is in one place');
        assert.deepEqual(
          rows.map(({ id }) => id),
          upTo(newest).slice(-500).toReversed(),
        );
      }
      return reads;
    };
    const reader = read();
    for (let batch = 0; batch < 150; batch += 1) {
      await audit(store, 60);
      if (batch % 40 === 39) await store.checkpoint();
    }
    writing = false;
    assert.ok((await reader) > 5);
  });
});
