/** What people do to a Schedule while it is on air, and what the event log says of it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openStage, type Stage } from './schedule-app.ts';

describe('a Schedule on air', () => {
  let stage: Stage;
  let scheduleId: number;
  const begin = async (more: object = {}): Promise<void> => {
    ({ id: scheduleId } = await stage.plan(20, 21, more));
    await stage.goTo(20);
    await stage.onAir();
    await stage.goTo(20.5);
  };
  const told = async (kind: string): Promise<string | undefined> => (await stage.events(kind)).at(-1)?.message;
  beforeEach(async () => {
    stage = await openStage();
  });
  afterEach(() => stage.close());

  it('is not taken off air by an end that is past', async () => {
    await begin();
    for (const hours of [20.25, 20.5]) {
      const change = { scheduleId, end: stage.at(hours) };
      const error = await stage.refused('rule_violated', 'updateSchedule', change);
      assert.match(error.message, /end it with stopLivestream\.$/u);
    }
    assert.deepEqual(await stage.status(), [2, scheduleId]);
  });

  it('of a series names the skip as well', async () => {
    await begin({ recurrence: { type: 'daily' } });
    const error = await stage.refused('rule_violated', 'updateSchedule', { scheduleId, end: stage.at(20.4) });
    assert.match(
      error.message,
      /stopLivestream, or skip this occurrence with skipOccurrence \(confirmStopLive: true\)/u,
    );
  });

  it('tells who moved its end', async () => {
    await begin();
    await stage.data('updateSchedule', { scheduleId, end: stage.at(22) }, { user: 'operator' });
    const moved = `operator moved the end of what Schedule Plan 1 has on air from ${stage.at(21)} to ${stage.at(22)}.`;
    assert.equal(await told('runtime_changed'), moved);
    await stage.data('updateSchedule', { scheduleId, name: 'Renamed' });
    assert.equal((await stage.events('runtime_changed')).length, 1);
  });

  it('is told as the one that started and stopped the Live stream', async () => {
    await begin();
    assert.equal(await told('start_requested'), 'Schedule Plan 1 started Show.');
    await stage.goTo(21);
    assert.equal(await told('stop_requested'), 'Schedule Plan 1 stopped Show.');
    const { rows } = await stage.store.find('events', { where: { kind: 'start_requested' } });
    assert.equal(rows[0]?.data['user'], 'admin');
    await stage.data('startLivestream', { livestreamId: stage.livestreamId }, { user: 'operator' });
    assert.equal(await told('start_requested'), 'operator started Show.');
  });

  it('that is deleted tells that the Destinations are off, how to switch them on, and who waits for it', async () => {
    const recurrence = { type: 'daily' };
    await stage.plan(22, 23, { name: 'Late', recurrence });
    await stage.plan(10, 11, { name: 'Over' });
    await stage.plan(13, 14, { name: 'Paused', recurrence, enabled: false });
    await begin();
    await stage.data('deleteSchedule', { scheduleId }, { user: 'operator' });
    const message = await told('schedule_stopped');
    assert.match(
      message ?? '',
      /^operator deleted Schedule Plan 4 while it was on air, so the Destinations are switched off/u,
    );
    assert.match(message ?? '', /with startLivestream and a startConfig that names them\. /u);
    assert.match(message ?? '', /these Schedules cannot start it: Late\.$/u);
    const startConfig = [{ publishingId: stage.publishingId }];
    await stage.settled();
    await stage.data('startLivestream', { livestreamId: stage.livestreamId, startConfig });
  });

  it('for once, that was stopped by a user, is not revived', async () => {
    await begin();
    await stage.data('stopLivestream', { livestreamId: stage.livestreamId });
    const error = await stage.refused('rule_violated', 'updateSchedule', { scheduleId, end: stage.at(22) });
    assert.match(error.message, /is over \(done\); send a start that is to come/u);
    await stage.data('updateSchedule', { scheduleId, name: 'Kept' });
  });
});
