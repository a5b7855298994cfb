import assert from 'node:assert/strict';
import { mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Store } from '../../domain/ports/store.ts';
import { SCHEMA_VERSION } from '../../domain/ports/store.ts';
import { captureStore } from '../../store/embedded/capture.ts';
import { livestream, isAppError, openedStore, temporaryFolder } from './support.ts';
import { documentOf } from '../helpers/store-document.ts';

/** Old history would go meanwhile. */
const AT = new Date().toISOString();

/** The files that a backup would take, in a folder of their own. */
async function copyOf(t: TestContext, dir: string): Promise<string> {
  const copy = await temporaryFolder(t);
  const capture = await captureStore(dir);
  for (const { name, content } of capture.files) {
    const file = await open(join(copy, name), 'wx');
    for await (const piece of content()) await file.writeFile(piece);
    await file.close();
  }
  await capture.close();
  return copy;
}

/** Two rows of one commit, and its audit entry; with each round the names of both become the round's. */
async function writeRounds(store: Store, isOver: () => boolean): Promise<number> {
  const ids = await store.tx((tx) => [1, 2].map((n) => tx.insert('livestreams', livestream({ name: `${n} of 0` })).id));
  let round = 0;
  while (!isOver()) {
    round += 1;
    await store.tx((tx) => {
      for (const [at, id] of ids.entries())
        tx.put('livestreams', { ...tx.get('livestreams', id)!, name: `${at + 1} of ${round}` });
      tx.insert('events', {
        livestreamId: ids[0]!,
        at: AT,
        kind: 'started',
        severity: 'info',
        message: `${round}`,
        data: {},
      });
    });
    if (round % 150 === 0) await store.checkpoint();
  }
  return round;
}

describe('a copy of the store while its owner writes', () => {
  it('each copy is one state: the rows of a commit belong together, and history has every commit up to it and none beyond', async (t) => {
    const dir = await temporaryFolder(t);
    const store = await openedStore({ dir });
    let isOver = false;
    const writing = writeRounds(store, () => isOver);
    const rounds: number[] = [];
    for (let taken = 0; taken < 12; taken += 1) {
      const copy = await openedStore({ dir: await copyOf(t, dir) });
      const { rows } = await copy.find('livestreams', {});
      const [first, second] = rows.map(({ name }) => Number(name.split(' ').at(-1)));
      if (first === undefined) continue;
      assert.equal(first, second);
      const { total } = await copy.find('events', {});
      assert.equal(total, first);
      rounds.push(first);
      await copy.close();
    }
    isOver = true;
    const last = await writing;
    assert.deepEqual(
      rounds,
      rounds.toSorted((a, b) => a - b),
    );
    assert.ok(rounds.length > 8 && last > 200, `${rounds.length} copies within ${last} rounds`);
  });

  it('a copy of a store at rest is the same document, and leaves the folder as it was', async (t) => {
    const dir = await temporaryFolder(t);
    const store = await openedStore({ dir });
    let rounds = 0;
    await writeRounds(store, () => (rounds += 1) > 400);
    const { exported_at: _then, ...before } = await documentOf(store);
    await store.close();
    const names = await readdir(dir);
    const copy = await openedStore({ dir: await copyOf(t, dir) });
    const { exported_at: _now, ...after } = await documentOf(copy);
    assert.deepEqual(after, before);
    assert.deepEqual(await readdir(dir), names);
    assert.equal((await captureStore(dir)).schemaVersion, SCHEMA_VERSION);
  });

  it('a folder without a store is refused', async (t) => {
    const dir = join(await temporaryFolder(t), 'none');
    await mkdir(dir);
    await assert.rejects(captureStore(dir), isAppError('unavailable', /has no journal/u));
  });
});
