/** Changes that people make to a Schedule on air, and their entries in the event log. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { startScheduleApp, type ScheduleApp } from './schedule-app.ts';

describe('a Schedule on air', () => {
  let app: ScheduleApp;
  let scheduleId: number;
  const begin = async (more: object = {}): Promise<void> => {
    ({ id: scheduleId } = await app.plan(20, 21, more));
    await app.goTo(20);
    await app.onAir();
    await app.goTo(20.5);
  };
  const messagesOf = async (kind: string): Promise<string | undefined> => (await app.events(kind)).at(-1)?.message;
  beforeEach(async () => {
    app = await startScheduleApp();
  });
  afterEach(() => app.close());

  it('a Schedule on air is not taken off air by an end that is past', async () => {
    await begin();
    for (const hours of [20.25, 20.5]) {
      const change = { scheduleId, end: app.at(hours) };
      const error = await app.refused('rule_violated', 'updateSchedule', change);
      assert.match(error.message, /end it with stopLivestream\.$/u);
    }
    assert.deepEqual(await app.status(), [2, scheduleId]);
  });

  it('a Schedule of a series on air names the skip as well', async () => {
    await begin({ recurrence: { type: 'daily' } });
    const error = await app.refused('rule_violated', 'updateSchedule', { scheduleId, end: app.at(20.4) });
    assert.match(
      error.message,
      /stopLivestream, or skip this occurrence with skipOccurrence \(confirmStopLive: true\)/u,
    );
  });

  it('a Schedule on air tells who moved its end', async () => {
    await begin();
    await app.data('updateSchedule', { scheduleId, end: app.at(22) }, { user: 'operator' });
    const moved = `operator moved the end of what Schedule "Plan 1" has on air from ${app.at(21)} to ${app.at(22)}.`;
    assert.equal(await messagesOf('runtime_changed'), moved);
    await app.data('updateSchedule', { scheduleId, name: 'Renamed' });
    assert.equal((await app.events('runtime_changed')).length, 1);
  });

  it('the events of a Live stream name the Schedule that started and stopped it', async () => {
    await begin();
    assert.equal(await messagesOf('start_requested'), 'Schedule "Plan 1" started "Show".');
    await app.goTo(21);
    assert.equal(await messagesOf('stop_requested'), 'Schedule "Plan 1" stopped "Show".');
    const { rows } = await app.store.find('events', { where: { kind: 'start_requested' } });
    assert.equal(rows[0]?.data['user'], 'admin');
    await app.data('startLivestream', { livestreamId: app.livestreamId }, { user: 'operator' });
    assert.equal(await messagesOf('start_requested'), 'operator started "Show".');
  });

  it('a Schedule deleted on air tells that the Destinations are off, how to switch them on, and who waits for it', async () => {
    const recurrence = { type: 'daily' };
    await app.plan(22, 23, { name: 'Late', recurrence });
    await app.plan(10, 11, { name: 'Over' });
    await app.plan(13, 14, { name: 'Paused', recurrence, enabled: false });
    await begin();
    await app.data('deleteSchedule', { scheduleId }, { user: 'operator' });
    const message = await messagesOf('schedule_stopped');
    assert.match(
      message ?? '',
      /^operator deleted Schedule "Plan 4" while it was on air, so the Destinations are switched off/u,
    );
    assert.match(message ?? '', /with startLivestream and a startConfig that names them\. /u);
    assert.match(message ?? '', /these Schedules cannot start it: Late\.$/u);
    const startConfig = [{ publishingId: app.publishingId }];
    await app.settled();
    await app.data('startLivestream', { livestreamId: app.livestreamId, startConfig });
  });

  it('a Schedule for once that was stopped by a user is not revived', async () => {
    await begin();
    await app.data('stopLivestream', { livestreamId: app.livestreamId });
    const error = await app.refused('rule_violated', 'updateSchedule', { scheduleId, end: app.at(22) });
    assert.match(error.message, /is over \(done\); send a start that is to come/u);
    await app.data('updateSchedule', { scheduleId, name: 'Kept' });
  });
});
