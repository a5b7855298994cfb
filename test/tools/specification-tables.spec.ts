/** The tables of the interface specification, row by row. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { stop_livestream } from '../../workflows/stop_livestream.ts';
import { openStage, type Stage } from '../scheduler/schedule-app.ts';
import { addBroadcast, openBench, type Bench } from '../app/test-app.ts';

let bench: Bench;
let livestreamId: number;
beforeEach(async () => {
  bench = await openBench();
  ({ livestreamId } = await addBroadcast(bench));
});
afterEach(() => bench.close());

describe('Planned action', () => {
  const statusOf = async (actionId: number): Promise<unknown> =>
    (await bench.data('getPlannedAction', { actionId }, { user: 'operator' }))['status'];
  const planned = async (): Promise<number> => {
    const plan = { livestreamId, type: 'stop', payload: {}, execute_at: '2026-01-01T01:00:00Z' };
    return (await bench.data('addLivestreamAction', plan, { user: 'operator' })).id;
  };

  it('pending | disablePlannedAction | action is pending | disabled | not deleted', async () => {
    const actionId = await planned();
    assert.equal(await statusOf(actionId), 'pending');
    const answer = await bench.data('disablePlannedAction', { actionId }, { user: 'operator' });
    assert.deepEqual([answer.id, answer['status']], [actionId, 'disabled']);
    assert.equal(await statusOf(actionId), 'disabled');
    await bench.refused('wrong_state', 'disablePlannedAction', { actionId });
  });

  it('disabled | enablePlannedAction | action is a disabled pending action | pending (re-armed)', async () => {
    const actionId = await planned();
    await bench.refused('wrong_state', 'enablePlannedAction', { actionId });
    await bench.data('disablePlannedAction', { actionId });
    const answer = await bench.data('enablePlannedAction', { actionId }, { user: 'operator' });
    assert.deepEqual([answer.id, answer['status']], [actionId, 'pending']);
    assert.equal(await statusOf(actionId), 'pending');
  });
});

describe('Schedule and occurrences', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage([stop_livestream]);
  });
  afterEach(() => stage.close());

  const daily = { recurrence: { type: 'daily' } };
  /** On air since 20:00 of the first day. */
  async function planOnAir(more: object = {}): Promise<number> {
    const { id } = await stage.plan(20, 21, more);
    await stage.goTo(20);
    await stage.onAir();
    return id;
  }
  const isOnAir = async (): Promise<boolean> => (await stage.status())[0] === 2;
  const stop = async (): Promise<void> => {
    await stage.call('stop_livestream', { livestream: 'Show' });
    await stage.settled();
  };
  const paths = async (): Promise<boolean[]> => (await stage.run())!.startConfig.map(({ primary }) => primary);

  it('updateSchedule with `enabled` | pauses or resumes the Schedule', async () => {
    const { id: scheduleId } = await stage.plan(20, 21, daily);
    await stage.data('updateSchedule', { scheduleId, enabled: false });
    await stage.goTo(22);
    assert.deepEqual(await stage.occurrences(0, 96), []);
    await stage.data('updateSchedule', { scheduleId, enabled: true });
    await stage.goTo(44);
    await stage.onAir();
    assert.deepEqual(await stage.occurrences(0, 72), [
      [44, 'on_air'],
      [68, 'planned'],
    ]);
  });

  it('deleteSchedule | removes all future occurrences; if the Schedule is on air, stops the Live stream and disables its Destinations', async () => {
    const scheduleId = await planOnAir(daily);
    await stage.data('deleteSchedule', { scheduleId });
    await stage.settled();
    assert.equal(await isOnAir(), false);
    assert.deepEqual(await paths(), [false]);
    await stage.goTo(70);
    assert.deepEqual(await stage.occurrences(0, 96), [[20, 'done']]);
  });

  it('skipOccurrence | cancels one occurrence of a recurring Schedule', async () => {
    const { id: scheduleId } = await stage.plan(20, 21, daily);
    await stage.data('skipOccurrence', { scheduleId, occurrence_start: stage.at(20) });
    await stage.goTo(20.5);
    assert.equal((await stage.status())[0], 0);
    await stage.goTo(44);
    await stage.onAir();
    assert.deepEqual(await stage.occurrences(0, 48), [
      [20, 'skipped'],
      [44, 'on_air'],
    ]);
  });

  it('skipOccurrence | for the one on air, `confirmStopLive: true` is required', async () => {
    const scheduleId = await planOnAir(daily);
    const one = { scheduleId, occurrence_start: stage.at(20) };
    await stage.refused('confirmation_required', 'skipOccurrence', one);
    await stage.refused('confirmation_required', 'skipOccurrence', { ...one, confirmStopLive: false });
    assert.equal(await isOnAir(), true);
    await stage.data('skipOccurrence', { ...one, confirmStopLive: true });
    await stage.settled();
    assert.equal(await isOnAir(), false);
  });

  it('restoreSkip | restores a skipped occurrence that has not yet run', async () => {
    const { id: scheduleId } = await stage.plan(20, 21, daily);
    const { skipId } = await stage.data('skipOccurrence', { scheduleId, occurrence_start: stage.at(20) });
    await stage.data('restoreSkip', { scheduleId, skipId });
    await stage.goTo(20);
    await stage.onAir();
    const ended = { scheduleId, occurrence_start: stage.at(20), confirmStopLive: true };
    const { skipId: second } = await stage.data('skipOccurrence', ended);
    await stage.refused('wrong_state', 'restoreSkip', { scheduleId, skipId: second });
  });

  it('patchScheduleUntil | ends a recurring series from a given date onward', async () => {
    const scheduleId = await planOnAir(daily);
    await stage.data('patchScheduleUntil', { scheduleId, until: stage.at(68) });
    assert.equal(await isOnAir(), true);
    await stage.goTo(100);
    assert.deepEqual(
      (await stage.occurrences(0, 200)).map(([hour]) => hour),
      [20, 44],
    );
  });

  it('stop_livestream on a recurring Schedule | stops only the occurrence on air; the series and its Destinations remain', async () => {
    const scheduleId = await planOnAir(daily);
    await stop();
    assert.equal(await isOnAir(), false);
    assert.deepEqual(await paths(), [true]);
    await stage.goTo(20.9);
    assert.equal((await stage.status())[0], 0);
    await stage.goTo(44);
    assert.deepEqual(await stage.status(), [1, scheduleId]);
  });

  it('stop_livestream on a one-off Schedule | the Schedule is cancelled', async () => {
    const scheduleId = await planOnAir();
    await stop();
    assert.equal(await isOnAir(), false);
    assert.equal((await stage.data('getScheduleById', { scheduleId }))['enabled'], false);
    await stage.goTo(20.9);
    assert.equal((await stage.status())[0], 0);
  });
});
