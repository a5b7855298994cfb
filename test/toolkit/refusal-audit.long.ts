/** A million refused calls of one token, through dispatch, on a store with files. */
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { startTestApp } from '../app/test-app.ts';
import { memoryAfterCollection } from '../helpers/heap.ts';
import { openedStore, temporaryFolder } from '../store/support.ts';

const CALLS = 1_000_000;
const TOGETHER = 200;

async function heap(): Promise<number> {
  return (await memoryAfterCollection()).heapUsed;
}

it(`a flood of ${CALLS} refused calls leaves memory and disk as they were`, async (t) => {
  const dir = await temporaryFolder(t);
  const app = await startTestApp({ store: await openedStore({ dir }) });
  const refuse = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += TOGETHER) {
      const calls = Array.from({ length: TOGETHER }, () => app.call('deleteChannel', { channelId: 77 }));
      for (const call of await Promise.allSettled(calls)) assert.equal(call.status, 'rejected');
    }
  };
  await refuse(2_000);
  const before = await heap();
  const begun = performance.now();
  await refuse(CALLS - 2_000);
  const grown = (await heap()) - before;
  t.diagnostic(
    `${Math.round((CALLS / (performance.now() - begun)) * 1000)} calls a second; the heap grew by ${(grown / 1e6).toFixed(2)} MB`,
  );
  assert.ok(grown < 5e6, `${grown} bytes`);
  await app.settle();
  const entries = (await app.store.find('audit', { where: { operation: 'deleteChannel' } })).rows;
  assert.deepEqual([entries.length, entries.at(-1)!.count], [61, CALLS - 60]);
  const sizes = await Promise.all((await readdir(dir)).map(async (name) => (await stat(join(dir, name))).size));
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) < 200_000, `${sizes.join(' + ')} bytes on disk`);
  await app.close();
});
