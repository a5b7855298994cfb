/** Planned actions that go with a Schedule: one row, done at each occurrence, moved and skipped with it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { PlannedActions } from '../../scheduler/planned-actions.ts';
import type { SchedulerDeps } from '../../scheduler/task.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { type Row, fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { silentLog } from '../helpers/silent-log.ts';
import { until } from '../helpers/until.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const iso = (ms: number): string => new Date(ms).toISOString();

let app: TestApp;
let task: PlannedActions;
let livestreamId: number;
let scheduleId: number;

const perform: SchedulerDeps['perform'] = (operation, args, { username: _, ...how }) =>
  app.call(operation, args, { user: 'operator', via: 'schedule', ...how });
/** A server that begins over the same store; the one before it is gone. */
async function up(how = perform): Promise<void> {
  task?.end();
  task = new PlannedActions({ store: app.store, clock: app.clock, log: silentLog, control: app.control, perform: how });
  await task.begin();
}
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
/** The clock is set forward; that is noticed within 5 s, and an action that is a minute late is not done. */
async function goTo(ms: number): Promise<void> {
  const leftMs = ms - app.clock.now();
  if (leftMs > 5000) app.clock.step(leftMs - 5000);
  app.clock.advance(ms - app.clock.now());
  await turns();
}
/** A weekly show of an hour on Sundays at 10:00 by the clock of Zurich, from the day on. */
const weekly = (from: string, more: object = {}): Promise<Row> =>
  app.data('addSchedule', {
    name: `Show from ${from}`,
    livestreamId,
    start: `${from}T10:00:00`,
    end: `${from}T11:00:00`,
    timezone: 'Europe/Zurich',
    recurrence: { type: 'weekly' },
    ...more,
  });
const add = (at: object | null = { from: 'start', seconds: 60 }, more: object = {}): Promise<Row> =>
  app.data('addLivestreamAction', {
    livestreamId,
    type: 'options',
    payload: { scteMarkers: true },
    scheduleId,
    at,
    ...more,
  });
const action = (actionId: number, window: object = {}): Promise<Row> =>
  app.data('getPlannedAction', { actionId, ...window });
const nextOf = async (actionId: number): Promise<unknown> => (await action(actionId))['execute_at'];
const runsOf = async (actionId: number, window: object = {}): Promise<[string, string][]> =>
  ((await action(actionId, window))['runs'] as Row[]).map(({ execute_at, status }) => [
    execute_at as string,
    status as string,
  ]);

beforeEach(async () => {
  app = await startTestApp();
  ({ livestreamId } = await addBroadcast(app));
  // A Sunday; in winter Zurich is an hour ahead of UTC.
  ({ id: scheduleId } = await weekly('2026-01-04'));
  await up();
});
afterEach(async () => {
  task.end();
  await app.close();
});

describe('a planned action that goes with a Schedule', () => {
  it('an action has the time of the next occurrence, counted from its start or its end, and tells the occurrences of a window', async () => {
    const { id } = await add();
    const first = { occurrence_start: '2026-01-04T09:00:00.000Z', execute_at: '2026-01-04T09:01:00.000Z' };
    const row = await action(id);
    assert.deepEqual([row['execute_at'], row['scheduleId'], row['status']], [first.execute_at, scheduleId, 'pending']);
    assert.deepEqual(row['at'], { from: 'start', seconds: 60 });
    assert.deepEqual(row['runs'], [{ ...first, status: 'pending', error: null }]);
    const { id: ending } = await add({ from: 'end', seconds: -30 });
    assert.equal(await nextOf(ending), '2026-01-04T09:59:30.000Z');
    const { id: before } = await add({ from: 'start', seconds: -300 });
    assert.equal(await nextOf(before), '2026-01-04T08:55:00.000Z');
    const window = { from: '2026-03-20T00:00:00Z', to: '2026-04-10T00:00:00Z' };
    const overChange = ['2026-03-22T09:01:00.000Z', '2026-03-29T08:01:00.000Z', '2026-04-05T08:01:00.000Z'];
    assert.deepEqual(
      await runsOf(id, window),
      overChange.map((at) => [at, 'pending']),
    );
    const listed = await app.rows('getAllPlannedActions', { ...window, sort: '-execute_at' });
    assert.deepEqual(
      listed.map((each) => each['id']),
      [ending, id, before],
      'a later occurrence is in the window',
    );
    assert.deepEqual(await app.ids('getAllPlannedActions', { from: window.from, to: '2026-03-22T08:00:00Z' }), []);
  });

  it('an action has one kind of time, and the Schedule is of its Live stream', async () => {
    const { id: other } = await addBroadcast(app, 'Other').then((ids) => ({ id: ids.livestreamId }));
    const refused = async (code: 'invalid_input' | 'rule_violated', args: object): Promise<string[]> =>
      fieldsOf(await app.refused(code, 'addLivestreamAction', { livestreamId, type: 'stop', payload: {}, ...args }));
    const at = { from: 'start', seconds: 1 };
    const execute_at = '2026-01-02T00:00:00Z';
    assert.deepEqual(await refused('invalid_input', {}), ['execute_at']);
    assert.deepEqual(await refused('invalid_input', { execute_at, scheduleId, at }), ['execute_at']);
    assert.deepEqual(await refused('invalid_input', { scheduleId }), ['at']);
    assert.deepEqual(await refused('invalid_input', { at }), ['scheduleId']);
    assert.deepEqual(await refused('invalid_input', { scheduleId, at: { from: 'middle' } }), ['at.from']);
    assert.deepEqual(await refused('invalid_input', { scheduleId, at: { from: 'end', seconds: 0.5 } }), ['at.seconds']);
    assert.deepEqual(await refused('rule_violated', { scheduleId: 99, at }), ['scheduleId']);
    assert.deepEqual(await refused('rule_violated', { livestreamId: other, scheduleId, at }), ['scheduleId']);
    assert.deepEqual(await app.ids('getAllPlannedActions'), []);
  });

  it('an action moves, is skipped, rests and ends with its Schedule, in the commit that changes it', async () => {
    const { id } = await add();
    const { skipId } = (await app.data('skipOccurrence', {
      scheduleId,
      occurrence_start: '2026-01-04T09:00:00Z',
    })) as Row & { skipId: number };
    assert.equal(await nextOf(id), '2026-01-11T09:01:00.000Z');
    await app.data('restoreSkip', { scheduleId, skipId });
    assert.equal(await nextOf(id), '2026-01-04T09:01:00.000Z');
    await app.data('updateSchedule', { scheduleId, start: '2026-01-05T11:00:00Z', end: '2026-01-05T12:00:00Z' });
    assert.equal(await nextOf(id), '2026-01-05T11:01:00.000Z');
    await app.data('updateSchedule', { scheduleId, enabled: false });
    assert.deepEqual([await nextOf(id), (await action(id))['status']], [null, 'pending']);
    await app.data('updateSchedule', { scheduleId, enabled: true });
    assert.equal(await nextOf(id), '2026-01-05T11:01:00.000Z');
    await app.data('patchScheduleUntil', { scheduleId, until: '2026-01-06T00:00:00Z' });
    assert.equal((await runsOf(id, { to: '2026-03-01T00:00:00Z' })).length, 1);
    await app.data('deleteSchedule', { scheduleId });
    const { status, error } = await action(id);
    assert.deepEqual([status, error], ['cancelled', `Schedule ${scheduleId} "Show from 2026-01-04" was deleted.`]);
  });

  it('a Schedule that has planned actions keeps its Live stream', async () => {
    const other = await addBroadcast(app, 'Other');
    const { id } = await add();
    const change = { scheduleId, livestreamId: other.livestreamId };
    assert.deepEqual(fieldsOf(await app.refused('rule_violated', 'updateSchedule', change)), ['livestreamId']);
    await app.data('deletePlannedAction', { actionId: id });
    await app.data('updateSchedule', change);
  });

  it('an action can be set aside over an occurrence, moved to another offset, and be made to be done once', async () => {
    const { id } = await add();
    await app.data('disablePlannedAction', { actionId: id });
    await goTo(Date.UTC(2026, 0, 6));
    await app.data('enablePlannedAction', { actionId: id });
    assert.equal(await nextOf(id), '2026-01-11T09:01:00.000Z');
    assert.deepEqual(await runsOf(id, { from: '2026-01-01T00:00:00Z', to: '2026-01-08T00:00:00Z' }), []);
    await app.data('updatePlannedAction', { actionId: id, at: { from: 'end', seconds: 0 } });
    assert.equal(await nextOf(id), '2026-01-11T10:00:00.000Z');
    await app.data('updatePlannedAction', { actionId: id, execute_at: '2026-01-07T00:00:00Z' });
    const row = await action(id);
    assert.deepEqual(
      [row['execute_at'], row['scheduleId'], row['at'], row['runs']],
      ['2026-01-07T00:00:00.000Z', null, null, undefined],
    );
    assert.deepEqual(
      fieldsOf(await app.refused('invalid_input', 'updatePlannedAction', { actionId: id, at: { from: 'end' } })),
      ['scheduleId'],
    );
  });

  it('an action that fails at one occurrence is done at the next, and the last one decides of a series that is over', async () => {
    const { id } = await add({ from: 'start', seconds: 60 }, { type: 'logo', payload: { logo: { filename: '' } } });
    await app.data('patchScheduleUntil', { scheduleId, until: '2026-01-12T00:00:00Z' });
    await goTo(Date.UTC(2026, 0, 4, 9, 1));
    // Nothing is on air: the call is tried again for ten seconds.
    await until('the first failure', async () => {
      app.clock.advance(1000);
      return (await nextOf(id)) === '2026-01-11T09:01:00.000Z';
    });
    assert.deepEqual([(await action(id))['status'], (await action(id))['error']], ['pending', null]);
    assert.deepEqual(await runsOf(id, { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }), [
      ['2026-01-04T09:01:00.000Z', 'failed'],
      ['2026-01-11T09:01:00.000Z', 'pending'],
    ]);
    await goTo(Date.UTC(2026, 0, 11, 9, 1));
    const row = await until('the last failure', async () => {
      app.clock.advance(1000);
      const present = await action(id);
      return present['status'] === 'failed' && present;
    });
    assert.match(row['error'] as string, /not on air|status/u);
  });
});

describe('eight Sundays over a change of the clock', () => {
  for (const [season, from, hours] of [
    ['in spring', '2026-03-08', [9, 9, 9, 8, 8, 8, 8, 8]],
    ['in autumn', '2026-10-04', [8, 8, 8, 9, 9, 9, 9, 9]],
  ] as const)
    it(`an action is done once at each occurrence ${season}, though the server ends at each instant`, async () => {
      const { id: other } = await weekly(from, { start: `${from}T14:00:00`, end: `${from}T15:00:00` });
      const { id } = await add({ from: 'end', seconds: -1800 }, { scheduleId: other });
      const firstMs = Date.parse(`${from}T00:00:00Z`);
      const expected = hours.map((hour, week) => iso(firstMs + week * 7 * DAY_MS + (hour + 4.5) * HOUR_MS));
      for (const [week, at] of expected.entries()) {
        const atMs = Date.parse(at);
        await goTo(atMs - 1000);
        if (week % 4 === 0) await up();
        // One server ends while it makes the call, whose outcome is not known, and the next one makes it again.
        if (week % 4 === 1) await up(() => new Promise(() => undefined));
        if (week % 4 === 2) task.end();
        app.clock.advance(1000);
        if (week % 4 === 3) await up();
        await turns();
        if (week % 4 !== 3) await up();
        await until(`the action of ${at}`, async () => {
          // It waits for the start that is due, which nobody makes here.
          app.clock.advance(1000);
          return (await runsOf(id, { from: iso(firstMs) })).some(
            ([each, status]) => each === at && status === 'executed',
          );
        });
      }
      const runs = await runsOf(id, { from: iso(firstMs), to: iso(firstMs + 56 * DAY_MS) });
      assert.deepEqual(
        runs,
        expected.map((at) => [at, 'executed']),
      );
      const changes = await app.rows('getAuditLog', { operation: 'updateLivestreamOptions', pageSize: 100 });
      assert.equal(changes.length, 8, 'each once');
    });
});
