/** The tables of the interface specification, row by row. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { stop_livestream } from '../../workflows/stop_livestream.ts';
import { startScheduleApp, type ScheduleApp } from '../scheduler/schedule-app.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

let app: TestApp;
let livestreamId: number;
beforeEach(async () => {
  app = await startTestApp();
  ({ livestreamId } = await addBroadcast(app));
});
afterEach(() => app.close());

describe('the table of planned actions', () => {
  const statusOf = async (actionId: number): Promise<unknown> =>
    (await app.data('getPlannedAction', { actionId }, { user: 'operator' }))['status'];
  const planned = async (): Promise<number> => {
    const plan = { livestreamId, type: 'stop', payload: {}, execute_at: '2026-01-01T01:00:00Z' };
    return (await app.data('addLivestreamAction', plan, { user: 'operator' })).id;
  };

  it('disablePlannedAction turns a pending planned action into a disabled one, which is not deleted', async () => {
    const actionId = await planned();
    assert.equal(await statusOf(actionId), 'pending');
    const answer = await app.data('disablePlannedAction', { actionId }, { user: 'operator' });
    assert.deepEqual([answer.id, answer['status']], [actionId, 'disabled']);
    assert.equal(await statusOf(actionId), 'disabled');
    await app.refused('wrong_state', 'disablePlannedAction', { actionId });
  });

  it('enablePlannedAction turns a disabled planned action into a pending one (re-armed)', async () => {
    const actionId = await planned();
    await app.refused('wrong_state', 'enablePlannedAction', { actionId });
    await app.data('disablePlannedAction', { actionId });
    const answer = await app.data('enablePlannedAction', { actionId }, { user: 'operator' });
    assert.deepEqual([answer.id, answer['status']], [actionId, 'pending']);
    assert.equal(await statusOf(actionId), 'pending');
  });
});

describe('the table of Schedules and occurrences', () => {
  let app: ScheduleApp;
  beforeEach(async () => {
    app = await startScheduleApp([stop_livestream]);
  });
  afterEach(() => app.close());

  const daily = { recurrence: { type: 'daily' } };
  /** On air since 20:00 of the first day. */
  async function planOnAir(more: object = {}): Promise<number> {
    const { id } = await app.plan(20, 21, more);
    await app.goTo(20);
    await app.onAir();
    return id;
  }
  const isOnAir = async (): Promise<boolean> => (await app.status())[0] === 2;
  const stop = async (): Promise<void> => {
    await app.call('stop_livestream', { livestream: 'Show' });
    await app.settled();
  };
  const paths = async (): Promise<boolean[]> => (await app.run())!.startConfig.map(({ primary }) => primary);

  it('updateSchedule with `enabled` pauses or resumes the Schedule', async () => {
    const { id: scheduleId } = await app.plan(20, 21, daily);
    await app.data('updateSchedule', { scheduleId, enabled: false });
    await app.goTo(22);
    assert.deepEqual(await app.occurrences(0, 96), []);
    await app.data('updateSchedule', { scheduleId, enabled: true });
    await app.goTo(44);
    await app.onAir();
    assert.deepEqual(await app.occurrences(0, 72), [
      [44, 'on_air'],
      [68, 'planned'],
    ]);
  });

  it('deleteSchedule removes all future occurrences; if on air, it stops the Live stream and disables its Destinations', async () => {
    const scheduleId = await planOnAir(daily);
    await app.data('deleteSchedule', { scheduleId });
    await app.settled();
    assert.equal(await isOnAir(), false);
    assert.deepEqual(await paths(), [false]);
    await app.goTo(70);
    assert.deepEqual(await app.occurrences(0, 96), [[20, 'done']]);
  });

  it('skipOccurrence cancels one occurrence of a recurring Schedule', async () => {
    const { id: scheduleId } = await app.plan(20, 21, daily);
    await app.data('skipOccurrence', { scheduleId, occurrence_start: app.at(20) });
    await app.goTo(20.5);
    assert.equal((await app.status())[0], 0);
    await app.goTo(44);
    await app.onAir();
    assert.deepEqual(await app.occurrences(0, 48), [
      [20, 'skipped'],
      [44, 'on_air'],
    ]);
  });

  it('skipOccurrence requires `confirmStopLive: true` for the occurrence on air', async () => {
    const scheduleId = await planOnAir(daily);
    const one = { scheduleId, occurrence_start: app.at(20) };
    await app.refused('confirmation_required', 'skipOccurrence', one);
    await app.refused('confirmation_required', 'skipOccurrence', { ...one, confirmStopLive: false });
    assert.equal(await isOnAir(), true);
    await app.data('skipOccurrence', { ...one, confirmStopLive: true });
    await app.settled();
    assert.equal(await isOnAir(), false);
  });

  it('restoreSkip restores a skipped occurrence that has not yet run', async () => {
    const { id: scheduleId } = await app.plan(20, 21, daily);
    const { skipId } = await app.data('skipOccurrence', { scheduleId, occurrence_start: app.at(20) });
    await app.data('restoreSkip', { scheduleId, skipId });
    await app.goTo(20);
    await app.onAir();
    const ended = { scheduleId, occurrence_start: app.at(20), confirmStopLive: true };
    const { skipId: second } = await app.data('skipOccurrence', ended);
    await app.refused('wrong_state', 'restoreSkip', { scheduleId, skipId: second });
  });

  it('patchScheduleUntil ends a recurring series from a given date onward', async () => {
    const scheduleId = await planOnAir(daily);
    await app.data('patchScheduleUntil', { scheduleId, until: app.at(68) });
    assert.equal(await isOnAir(), true);
    await app.goTo(100);
    assert.deepEqual(
      (await app.occurrences(0, 200)).map(([hour]) => hour),
      [20, 44],
    );
  });

  it('stop_livestream on a recurring Schedule stops only the occurrence on air; series and Destinations remain', async () => {
    const scheduleId = await planOnAir(daily);
    await stop();
    assert.equal(await isOnAir(), false);
    assert.deepEqual(await paths(), [true]);
    await app.goTo(20.9);
    assert.equal((await app.status())[0], 0);
    await app.goTo(44);
    assert.deepEqual(await app.status(), [1, scheduleId]);
  });

  it('stop_livestream on a one-off Schedule cancels the Schedule', async () => {
    const scheduleId = await planOnAir();
    await stop();
    assert.equal(await isOnAir(), false);
    assert.equal((await app.data('getScheduleById', { scheduleId }))['enabled'], false);
    await app.goTo(20.9);
    assert.equal((await app.status())[0], 0);
  });
});
