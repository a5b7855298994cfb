/** Occurrences that are past leave memory, are listed all the same, and nothing is done for them again. */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, it, type TestContext } from 'node:test';
import { toIso } from '../../domain/time/clock.ts';
import type { Store } from '../../domain/ports/store.ts';
import { Schedules } from '../../scheduler/schedules.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { until } from '../helpers/until.ts';
import { crashedCopy } from '../store/folders.ts';
import { openedStore, temporaryFolder } from '../store/support.ts';
import { startScheduleApp } from './schedule-app.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * A data folder of schema version 2, which had all firings in memory: a daily Schedule on its 61st day, on air and killed; one that comes
 * every 52 weeks, whose one firing was on the first day; and the 20 of a Schedule that was deleted.
 */
const OLD = fileURLToPath(new URL('../store/fixtures/version-2', import.meta.url));
const KILLED_MS = Date.UTC(2026, 2, 2, 10, 30);

interface Counts {
  firings: number;
  past: number;
}

async function countsOf(store: Store): Promise<Counts> {
  const { firings, pastFirings } = store.counts();
  return { firings, past: pastFirings };
}

/** Attends to the Schedules of the folder; answers which it starts. */
async function attended(
  t: TestContext,
  store: Store,
  clock: FakeClock,
): Promise<{ starts: number[]; task: Schedules }> {
  const starts: number[] = [];
  const control = {
    checkStart: () => ({ reasons: [] }),
    orderStop: () => undefined,
    orderStart: (_tx: unknown, _now: string, livestreamId: number, _request: unknown, by: { scheduleId: number }) => {
      starts.push(by.scheduleId);
      return { run: { id: livestreamId, runId: `run-${starts.length}` } };
    },
  };
  const log = { info: () => undefined, warn: assert.fail, error: assert.fail };
  const task = new Schedules({ store, clock, log, control: control as never });
  t.after(() => task.end());
  await task.begin();
  return { starts, task };
}

describe('past firings', () => {
  it('past firings of a store of schema version 2 leave memory, and none of them fires again', async (t) => {
    const clock = new FakeClock(toIso(KILLED_MS));
    const dir = await temporaryFolder(t);
    await cp(OLD, dir, { recursive: true });
    const store = await openedStore({ dir, clock });
    assert.deepEqual(await countsOf(store), { firings: 82, past: 0 });
    const before = (await store.find('firings', { where: { open: false } })).rows;
    const { starts, task } = await attended(t, store, clock);
    // Of the daily one: on air, 7 of the last week, and the one before it.
    await until('past firings in history', async () => (await countsOf(store)).firings === 10);
    const after = await store.find('firings', { where: { open: false } });
    const past = (await store.find('pastFirings', {})).rows;
    const keys = (rows: readonly { scheduleId: number; occurrence_start: string; state: string }[]): string[] =>
      rows.map(({ scheduleId, occurrence_start, state }) => `${scheduleId} ${occurrence_start} ${state}`).sort();
    assert.deepEqual(keys([...after.rows, ...past]), keys(before), 'each is in one of the two places');
    assert.deepEqual(
      after.rows.filter(({ scheduleId }) => scheduleId !== 1).map(({ scheduleId }) => scheduleId),
      [2],
    );

    const crashed = await openedStore({ dir: await crashedCopy(t, dir), clock });
    task.end();
    await store.close();
    for (const again of [crashed, await openedStore({ dir, clock })]) {
      const { starts: more, task: other } = await attended(t, again, clock);
      assert.deepEqual(await countsOf(again), { firings: 10, past: 72 });
      assert.equal((await again.find('events', {})).total, 60, 'nothing was missed');
      assert.deepEqual([...starts, ...more], []);
      assert.equal((await again.find('audit', {})).total, 60);
      other.end();
    }
    const other = await openedStore({ dir: await crashedCopy(t, dir), clock });
    const { starts: later, task: last } = await attended(t, other, clock);
    for (let hour = 0; hour < 8 * 24; hour += 1) {
      clock.advance(HOUR_MS);
      for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      // The last hour of each day has a start in it: the clock stands still until it is made, however slow the disk is.
      if (hour % 24 === 23) await until('the start of the day', () => later.length === (hour + 1) / 24);
    }
    assert.deepEqual(later, Array(8).fill(1), 'the daily one, once a day');
    last.end();
  });

  it('past firings of a deleted Schedule are in history at once, and listed until their Live stream is deleted', async (t) => {
    const app = await startScheduleApp();
    t.after(() => app.close());
    const { id } = await app.plan(1, 2, { recurrence: { type: 'daily' } });
    const { id: other } = await app.plan(3, 4);
    for (let day = 0; day < 3; day += 1) {
      await app.goTo(24 * day + 1);
      await app.onAir();
      await app.goTo(24 * day + 2);
      await app.goTo(24 * day + 5);
    }
    const listed = await app.occurrences(0, 60);
    assert.equal(listed.length, 4);
    assert.equal(app.store.counts().pastFirings, 0);
    await app.data('deleteSchedule', { scheduleId: id });
    assert.deepEqual(await countsOf(app.store), { firings: 1, past: 3 });
    assert.deepEqual(await app.occurrences(0, 60), listed);
    assert.deepEqual(await app.occurrences(20, 40), listed.slice(2, 3));
    assert.deepEqual(await app.occurrences(0, 60, { scheduleId: other }), listed.slice(1, 2));
    assert.deepEqual(await app.occurrences(0, 60, { livestreamId: app.livestreamId }), listed);
    assert.deepEqual(await app.occurrences(0, 60, { livestreamId: app.livestreamId + 1 }), []);
    await app.data('deleteSchedule', { scheduleId: other });
    await app.data('deleteLivestream', { livestreamId: app.livestreamId });
    assert.deepEqual(await app.occurrences(0, 60), []);
  });

  it('past firings in memory are few, whatever the number of days', async (t) => {
    const app = await startScheduleApp();
    t.after(() => app.close());
    await app.plan(1, 2, { recurrence: { type: 'daily' } });
    for (let day = 0; day < 12; day += 1) {
      await app.goTo(24 * day + 1);
      await app.onAir();
      await app.goTo(24 * day + 2);
      await app.goTo(24 * day + 2.5);
    }
    assert.deepEqual(await countsOf(app.store), { firings: 9, past: 3 });
    const days = Array.from({ length: 12 }, (_, day) => [24 * day + 1, 'done']);
    assert.deepEqual(await app.occurrences(0, 24 * 12), days);
    assert.equal((await app.events('schedule_started')).length, 12);
    // They go with their age.
    app.clock.step(450 * DAY_MS);
    assert.equal((await app.store.find('pastFirings', {})).total, 0);
  });
});
