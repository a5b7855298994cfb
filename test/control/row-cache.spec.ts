/** The rows that every report needs, as a Device's runs come and go. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RowCache } from '../../control/row-cache.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import { openStore } from '../../store/open.ts';
import { runAt } from '../helpers/fleet-rows.ts';

it('the runs at a Device are those that start or run there, and that wait there during a move, after each change', async () => {
  const store = await openStore({ dir: '', kind: 'memory' });
  const rows = new RowCache(store);
  const put = async (run: Run): Promise<void> => {
    await store.tx((tx) => (tx.get('runs', run.id) === undefined ? tx.insert('runs', run) : tx.put('runs', run)));
    await rows.readRun(run.id);
  };
  const idsAt = (): number[][] => [1, 2].map((device) => rows.runsAt(device).map(({ id }) => id));

  await store.tx((tx) => tx.insert('runs', runAt(1, 1)));
  await rows.load();
  assert.deepEqual(idsAt(), [[1], []]);
  await put(runAt(2, 1));
  await put(runAt(3, 2));
  assert.deepEqual(idsAt(), [[1, 2], [3]]);

  // One goes to the other Device, one fails, one is off air and has no Device any more.
  await put(runAt(1, 2));
  await put(runAt(2, 1, { status: 3 }));
  await put(runAt(3, 2, { status: 0, deviceId: null }));
  assert.deepEqual(idsAt(), [[], [1]]);

  const move = { runId: 'run-next', stage: 'arming' } as unknown as NonNullable<Run['move']>;
  await put(runAt(4, 1, { move, otherDeviceId: 2 }));
  assert.deepEqual(idsAt(), [[4], [1, 4]]);
  await put(runAt(4, 2, { move: null, otherDeviceId: null }));
  assert.deepEqual(idsAt(), [[], [1, 4]]);

  await store.tx((tx) => tx.delete('runs', 1));
  await rows.readRun(1);
  assert.deepEqual(idsAt(), [[], [4]]);
  await store.close();
});
