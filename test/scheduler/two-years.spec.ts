/**
 * Two years of a workdays series in which people skip, restore, pause, edit and end, the service is down now and then, and the clock is
 * set: every occurrence is accounted for once. What should have become of each is worked out apart, from the same decisions.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Schedules } from '../../scheduler/schedules.ts';
import type { Firing, PastFiring } from '../../domain/shapes/schedules/schedule.ts';
import { countOf, someOf } from '../helpers/counts.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BEGIN_MS = Date.UTC(2026, 0, 1);
const iso = (ms: number): string => new Date(ms).toISOString();

function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('two years of the scheduler', () => {
  let app: TestApp;
  let task: Schedules;
  let livestreamId: number;
  /** Past firings by id: the store forgets those of more than a year ago. */
  let seen: Map<number, Readonly<PastFiring>>;
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (facts: object) => assert.fail(JSON.stringify(facts)),
  };
  beforeEach(async () => {
    app = await startTestApp();
    seen = new Map();
    ({ livestreamId } = await addBroadcast(app));
    await up();
  });
  afterEach(async () => {
    task.end();
    await app.close();
  });

  async function up(): Promise<void> {
    task = new Schedules({ store: app.store, clock: app.clock, log, control: app.control });
    await task.begin();
    await settled();
  }
  /** At the Device every start succeeds. */
  async function settled(): Promise<void> {
    for (let turn = 0; turn < 8; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      for (const runId of app.device.runIds)
        if (app.device.report(runId).phase === 'starting') app.device.running(runId);
    }
  }
  /** The clock is set forward, letting the 5 s pass within which that is noticed: two years of timers would take minutes. */
  async function goTo(ms: number): Promise<void> {
    app.clock.step(ms - app.clock.now() - 5000);
    app.clock.advance(5000);
    await settled();
    // What that has made due.
    app.clock.advance(0);
    await settled();
  }
  /** Those of history, then those in memory, as of one moment. */
  async function firings(): Promise<readonly Readonly<Firing | PastFiring>[]> {
    const [{ rows }, past] = await Promise.all([app.store.find('firings', {}), app.store.find('pastFirings', {})]);
    for (const row of past.rows) seen.set(row.id, row);
    return [...seen.values(), ...rows];
  }

  for (const seed of someOf([1, 2, 3, 4, 5, 6, 7, 8], 2)) {
    // One of the seeds goes over two years in every run, the others over the months that each kind of decision needs. Both numbers end on a
    // Saturday, so that no occurrence follows.
    const days = seed === 1 ? 730 : countOf(261, 730);
    it(`a series on workdays follows its rule and all changes by users for two years (seed ${seed})`, async () => {
      const random = randomOf(seed);
      for (let warm = 0; warm < 5; warm += 1) random(2);
      const hour = 6 + random(12);
      const startOf = (day: number): number => BEGIN_MS + day * DAY_MS + hour * HOUR_MS;
      const times = { start: iso(startOf(1)), end: iso(startOf(1) + HOUR_MS) };
      const series = { livestreamId, ...times, recurrence: { type: 'workdays' } };
      const { id: scheduleId } = await app.data('addSchedule', { name: 'Morning', ...series });
      const expected = new Map<string, string>();
      const started = new Set<string>();
      app.store.onChange(
        () => void app.store.get('runs', livestreamId).then((run) => run && started.add(run.row.runId)),
      );
      const skips = new Map<number, number>();
      let [enabled, isDown, lastDay] = [true, false, Infinity];

      for (let day = 1; day < days; day += 1) {
        // 1970-01-01 was a Thursday, as 2026-01-01 is.
        const isWorkday = (day + 3) % 7 < 5;
        const start = startOf(day);
        await goTo(start - 3 * HOUR_MS);
        if (!isDown) await decide(day);
        if (isDown && random(3) === 0) {
          await up();
          isDown = false;
        } else if (!isDown && random(12) === 0) {
          task.end();
          isDown = true;
        }
        await goTo(start + 60_000);
        const wanted = isWorkday && enabled && !skips.has(day) && day < lastDay;
        if (isDown && wanted && random(2) === 0) {
          // Back within its time: late, and not missed.
          await up();
          isDown = false;
        }
        if (wanted) expected.set(iso(start), isDown ? 'missed' : 'done');
        if (wanted && !isDown && random(10) === 0) await app.call('stopLivestream', { livestreamId });
        if (random(40) === 0 && !isDown) {
          // Killed in between, whatever it is doing.
          task.end();
          await up();
        }
        // Set back by a minute and right again: nothing happens twice.
        if (random(30) === 0) {
          await goTo(app.clock.now() - 60_000);
          await goTo(app.clock.now() + 120_000);
        }
        await goTo(start + HOUR_MS + 30_000);
        await goTo(start + 2 * HOUR_MS);
        if (day % 100 === 0) await firings();
        // Of the last week, one from before it, and the one of today.
        const { total } = await app.store.find('firings', {});
        assert.ok(total <= 7, `${total} firings in memory on day ${day}`);
      }
      if (isDown) await up();
      await goTo(startOf(days + 1));
      const found = (await firings()).map(({ occurrence_start: start, state }) => [start, state] as const);
      assert.equal(new Set(found.map(([start]) => start)).size, found.length, 'one record of each');
      const from = app.clock.now() - 360 * DAY_MS;
      const listed = await app.rows('getScheduleOccurrences', {
        from: iso(from),
        to: iso(app.clock.now()),
        pageSize: 500,
      });
      const recent = [...expected].filter(([start]) => Date.parse(start) + HOUR_MS > from);
      const states = listed.filter(({ state }) => state !== 'skipped').map(({ start, state }) => [start, state]);
      assert.deepEqual(states, recent);
      assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected));
      assert.ok([...expected.values()].filter((state) => state === 'missed').length > days / 75, 'some were missed');
      assert.ok(
        started.size > days / 8 && started.size === [...expected.values()].filter((state) => state === 'done').length,
      );

      /** In the morning, hours before the start: what somebody wants otherwise. */
      async function decide(day: number): Promise<void> {
        // What is paused or ended does not stay so for long.
        const choice = !enabled && random(3) === 0 ? 2 : lastDay < day && random(3) === 0 ? 3 : random(20);
        const ahead = day + random(5);
        const isWorkday = (ahead + 3) % 7 < 5;
        if (choice === 0 && isWorkday && !skips.has(ahead) && ahead < lastDay) {
          const skip = await app.data('skipOccurrence', { scheduleId, occurrence_start: iso(startOf(ahead)) });
          skips.set(ahead, skip['skipId'] as number);
        } else if (choice === 1) {
          const coming = [...skips.keys()].find((skipped) => skipped >= day);
          if (coming === undefined) return;
          await app.data('restoreSkip', { scheduleId, skipId: skips.get(coming) });
          skips.delete(coming);
        } else if (choice === 2) {
          enabled = !enabled;
          await app.data('updateSchedule', { scheduleId, enabled });
        } else if (choice === 3) {
          lastDay = lastDay === Infinity ? day + random(10) + 1 : Infinity;
          const end = lastDay === Infinity ? null : iso(startOf(lastDay));
          if (end === null) await app.data('updateSchedule', { scheduleId, recurrence: { until: end } });
          else await app.data('patchScheduleUntil', { scheduleId, until: end });
        } else if (choice === 4) {
          await app.data('updateSchedule', { scheduleId, name: `Morning ${day}` });
        }
      }
    });
  }

  it('after an outage missed occurrences are reported, and the present one is started late, once', async () => {
    const times = { start: iso(BEGIN_MS + 10 * HOUR_MS), end: iso(BEGIN_MS + 12 * HOUR_MS) };
    await app.data('addSchedule', { name: 'Daily', livestreamId, ...times, recurrence: { type: 'daily' } });
    task.end();
    await goTo(BEGIN_MS + 250 * DAY_MS + 11 * HOUR_MS);
    await up();
    await goTo(app.clock.now() + 10_000);
    const states = (await firings()).map(({ state }) => state);
    assert.deepEqual([states.length, states.filter((state) => state === 'missed').length], [251, 250]);
    assert.equal(states.at(-1), 'on_air');
    task.end();
    await up();
    assert.equal((await firings()).length, 251);
  });

  it('after a clock was set far ahead and back, occurrences that counted as missed still take place', async () => {
    const times = { start: iso(BEGIN_MS + 10 * HOUR_MS), end: iso(BEGIN_MS + 12 * HOUR_MS) };
    await app.data('addSchedule', { name: 'Daily', livestreamId, ...times, recurrence: { type: 'daily' } });
    await goTo(BEGIN_MS + 30 * DAY_MS);
    assert.equal((await firings()).length, 30);
    assert.equal((await app.store.find('firings', {})).total, 8, 'the others are in history');
    await goTo(BEGIN_MS + 5 * DAY_MS + 9 * HOUR_MS);
    await app.data('updateSchedule', { scheduleId: 1, name: 'Touched' });
    await settled();
    await goTo(BEGIN_MS + 5 * DAY_MS + 10 * HOUR_MS);
    const [now] = (await firings()).filter(({ state }) => state === 'on_air');
    assert.equal(now?.occurrence_start, iso(BEGIN_MS + 5 * DAY_MS + 10 * HOUR_MS));
    for (let day = 5; day < 30; day += 1) {
      await goTo(BEGIN_MS + day * DAY_MS + 10 * HOUR_MS);
      await goTo(BEGIN_MS + day * DAY_MS + 12 * HOUR_MS);
      if (day % 3 > 0) continue;
      task.end();
      await up();
    }
    const listed = await app.rows('getScheduleOccurrences', {
      from: iso(BEGIN_MS),
      to: iso(BEGIN_MS + 30 * DAY_MS),
      pageSize: 500,
    });
    const states = Array.from({ length: 30 }, (_, day) => [
      iso(BEGIN_MS + day * DAY_MS + 10 * HOUR_MS),
      day < 5 ? 'missed' : 'done',
    ]);
    assert.deepEqual(
      listed.map(({ start, state }) => [start, state]),
      states,
    );
    const messagesOf = async (kind: string): Promise<number> =>
      (await app.store.find('events', { where: { kind } })).total;
    assert.deepEqual(
      [await messagesOf('schedule_missed'), await messagesOf('schedule_started')],
      [30, 25],
      'nothing twice',
    );
  });
});
