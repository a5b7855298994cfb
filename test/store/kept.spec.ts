import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Store } from '../../domain/ports/store.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { openedStore, temporaryFolder } from './support.ts';

const DAY_MS = 86_400_000;

async function addEvents(store: Store, clock: FakeClock, daysAgo: readonly number[]): Promise<void> {
  for (const days of daysAgo)
    await store.tx((tx) => {
      const at = new Date(clock.now() - days * DAY_MS).toISOString();
      tx.insert('events', { livestreamId: 1, at, kind: 'started', severity: 'info', message: `${days}`, data: {} });
    });
  await store.checkpoint();
}

it('history goes when the set days are over, and a twelfth of them later at the latest; a store that keeps all keeps it', async (t) => {
  const clock = new FakeClock();
  const dir = await temporaryFolder(t);
  const messages = async (keptMs: { events: number }): Promise<string[]> => {
    const store = await openedStore({ dir, clock, keptMs });
    const { rows } = await store.find('events', {});
    await store.close();
    return rows.map(({ message }) => message);
  };
  const store = await openedStore({ dir, clock, keptMs: { events: Infinity } });
  await addEvents(store, clock, [400, 200, 40, 31, 20, 1]);
  await store.close();
  assert.deepEqual(await messages({ events: Infinity }), ['400', '200', '40', '31', '20', '1']);
  assert.deepEqual(await messages({ events: 180 * DAY_MS }), ['40', '31', '20', '1']);
  const short = await openedStore({ dir, clock, keptMs: { events: 12 * DAY_MS } });
  await addEvents(short, clock, [0]);
  await short.close();
  assert.deepEqual(await messages({ events: 12 * DAY_MS }), ['1', '0']);
});
