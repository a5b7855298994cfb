/** A Schedule by itself, minute by minute. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeDevice } from '../helpers/fake-device.ts';
import { Schedules } from '../../scheduler/schedules.ts';
import { startScheduleApp, type ScheduleApp } from './schedule-app.ts';
import { silentLog } from '../helpers/silent-log.ts';

const MINUTE = 1 / 60;
const SECOND = 1 / 3600;

describe('a Schedule', () => {
  let app: ScheduleApp;
  beforeEach(async () => {
    app = await startScheduleApp();
  });
  afterEach(() => app.close());

  it('a Schedule starts and stops its Live stream at its times, in the name of the user who made it', async () => {
    const { id } = await app.plan(20, 21);
    await app.goTo(20 - SECOND);
    assert.deepEqual(await app.status(), [0, null]);
    assert.deepEqual(await app.occurrences(0, 48), [[20, 'planned']]);
    await app.goTo(20);
    assert.deepEqual(await app.status(), [1, id]);
    assert.deepEqual(await app.occurrences(0, 48), [[20, 'planned']]);
    await app.onAir();
    assert.deepEqual(await app.occurrences(0, 48), [[20, 'on_air']]);
    await app.goTo(21 - SECOND);
    assert.deepEqual(await app.status(), [2, id]);
    await app.goTo(21);
    assert.deepEqual(await app.status(), [0, null]);
    assert.deepEqual(await app.occurrences(0, 48), [[20, 'done']]);
    const messagesOf = await app.events('start_requested', 'schedule_started', 'stop_requested', 'schedule_stopped');
    assert.deepEqual(
      messagesOf.map(({ kind, at }) => [kind, at]),
      [
        ['start_requested', app.at(20)],
        ['schedule_started', app.at(20)],
        ['schedule_stopped', app.at(21)],
        ['stop_requested', app.at(21)],
      ],
    );
    const audit = await app.rows('getAuditLog', { via: 'schedule' });
    assert.deepEqual(
      audit.map((row) => [row['user'], row['operation'], row['resource_id'], row['outcome']]),
      // The newest first.
      [
        ['admin', 'stopLivestream', app.livestreamId, 'ok'],
        ['admin', 'startLivestream', app.livestreamId, 'ok'],
      ],
    );
    await app.goTo(72);
    assert.equal((await app.firings()).length, 1);
  });

  it('a Schedule of a Device group runs there', async () => {
    const credentials = app.network.stand('10.0.0.2:8092', new FakeDevice());
    const { id: other } = await app.data('addDevice', { name: 'Far', ...credentials });
    const { id: idEncoderGroup } = await app.data('createDeviceGroup', { name: 'Far', devices: [other] });
    await app.plan(20, 21, { idEncoderGroup });
    await app.goTo(20);
    assert.equal((await app.run())?.deviceId, other);
  });

  it('a Schedule whose start was some minutes ago when it is created starts at once', async () => {
    await app.goTo(20 + 9 * MINUTE);
    await app.plan(20, 21);
    assert.equal((await app.status())[0], 1);
  });

  it('a resumed Schedule starts the occurrence that is on at that moment, and none that it missed while paused', async () => {
    const { id: scheduleId } = await app.plan(20, 21, { recurrence: { type: 'daily' } });
    await app.data('updateSchedule', { scheduleId, enabled: false });
    await app.goTo(22);
    assert.deepEqual(await app.firings(), []);
    await app.goTo(44.5);
    await app.data('updateSchedule', { scheduleId, enabled: true });
    await app.settled();
    assert.deepEqual(await app.status(), [1, scheduleId]);
    await app.onAir();
    assert.deepEqual(await app.occurrences(0, 96), [
      [44, 'on_air'],
      [68, 'planned'],
      [92, 'planned'],
    ]);
  });

  it('a Schedule that is paused on air goes on to its end', async () => {
    const { id: scheduleId } = await app.plan(20, 21, { recurrence: { type: 'daily' } });
    await app.goTo(20);
    await app.onAir();
    await app.data('updateSchedule', { scheduleId, enabled: false });
    await app.goTo(20.9);
    assert.deepEqual(await app.status(), [2, scheduleId]);
    await app.goTo(21);
    assert.deepEqual(await app.status(), [0, null]);
    await app.goTo(50);
    assert.equal((await app.firings()).length, 1);
  });

  it('a Schedule that is moved on air takes its end with it, and keeps its Live stream', async () => {
    const { id: scheduleId } = await app.plan(20, 21);
    const { livestreamId: other } = await addAnother(app);
    await app.goTo(20);
    await app.onAir();
    const refused = await app.refused('wrong_state', 'updateSchedule', { scheduleId, livestreamId: other });
    assert.deepEqual(refused.extras.facts, { state: 'on_air', allowed: ['planned', 'done'] });
    await app.data('updateSchedule', { scheduleId, end: app.at(22) });
    await app.goTo(21.5);
    assert.deepEqual(await app.status(), [2, scheduleId]);
    await app.data('updateSchedule', { scheduleId, end: app.at(21.75) });
    await app.goTo(21.75);
    assert.deepEqual(await app.status(), [0, null]);
    assert.deepEqual(await app.occurrences(0, 48), [[20, 'done']]);
  });

  it('a Schedule takes over a Live stream that an operator has started early, and stops it at its end', async () => {
    const { id } = await app.plan(20, 21);
    await app.goTo(19.5);
    await app.data('startLivestream', { livestreamId: app.livestreamId }, { user: 'operator' });
    await app.onAir();
    const runId = (await app.run())?.runId;
    await app.goTo(20);
    assert.deepEqual(await app.status(), [2, id]);
    assert.equal((await app.run())?.runId, runId);
    const [event] = await app.events('schedule_started');
    assert.match(event?.message ?? '', /^operator had started it already; Schedule "Plan 1" has taken it over/u);
    await app.goTo(21);
    assert.deepEqual(await app.status(), [0, null]);
  });

  it('after a user has stopped an occurrence its Schedule neither starts it again nor stops what the user starts by hand', async () => {
    await app.plan(20, 21, { recurrence: { type: 'daily' } });
    await app.goTo(20);
    await app.onAir();
    await app.data('stopLivestream', { livestreamId: app.livestreamId }, { user: 'operator' });
    await app.settled();
    assert.deepEqual(await app.occurrences(0, 48), [
      [20, 'done'],
      [44, 'planned'],
    ]);
    const [event] = await app.events('schedule_stopped');
    assert.match(event?.message ?? '', /^operator ended this occurrence of "Plan 1"/u);
    await app.goTo(20.5);
    assert.deepEqual(await app.status(), [0, null]);
    await app.data('startLivestream', { livestreamId: app.livestreamId });
    await app.onAir();
    await app.goTo(22);
    assert.deepEqual(await app.status(), [2, null]);
    assert.equal((await app.firings()).length, 1);
  });

  it('a Schedule is tried again while its start is refused, and tells each reason once', async () => {
    const { id } = await app.plan(20, 21);
    await app.data('updateLivestream', { livestreamId: app.livestreamId, enabled: false });
    await app.goTo(20);
    assert.deepEqual(await app.occurrences(0, 48), [[20, 'failed']]);
    await app.goTo(20.2);
    const refused = await app.events('start_failed');
    assert.equal(refused.length, 1);
    assert.match(refused[0]?.message ?? '', /Plan 1" could not start it: .*disabled.*again until 2026-01-01T21/u);
    assert.ok((await app.firings())[0]!.attempts >= 30, 'a few quick tries, then one every 20 s');
    await app.data('updateLivestream', { livestreamId: app.livestreamId, enabled: true });
    await app.goTo(20.2 + 21 * SECOND);
    assert.deepEqual(await app.status(), [1, id]);
    await app.onAir();
    await app.goTo(21);
    assert.deepEqual(await app.occurrences(0, 48), [[20, 'done']]);
  });

  it('a Schedule is started again when its run fails inside its window', async () => {
    const { id } = await app.plan(20, 21);
    await app.goTo(20);
    await app.onAir();
    app.device.failed((await app.run())!.runId, 'Every Destination has failed.');
    await app.settled();
    assert.equal((await app.status())[0], 3);
    await app.goTo(20 + 6 * SECOND);
    assert.deepEqual(await app.status(), [1, id]);
    await app.onAir();
    assert.equal((await app.events('schedule_started')).length, 1);
    await app.goTo(21);
    assert.deepEqual(await app.status(), [0, null]);
    assert.equal((await app.firings()).length, 1);
  });

  it('a Schedule has failed when its time is over and its Live stream was never on air', async () => {
    await app.plan(20, 21);
    await app.data('updateLivestream', { livestreamId: app.livestreamId, enabled: false });
    await app.goTo(22);
    assert.deepEqual(await app.occurrences(0, 48), [[20, 'failed']]);
    const [event] = await app.events('schedule_missed');
    assert.match(event?.message ?? '', /never on air\. .*disabled/u);
    const [firing] = await app.firings();
    assert.deepEqual([firing?.open, firing?.retry_at], [false, null]);
  });

  it('a Schedule has failed when it was still starting at its end', async () => {
    await app.plan(20, 20 + 20 * SECOND);
    await app.goTo(20);
    assert.deepEqual(await app.occurrences(0, 48), [[20, 'planned']]);
    await app.goTo(20 + 20 * SECOND);
    assert.deepEqual(await app.occurrences(0, 48), [[20, 'failed']]);
    assert.deepEqual(await app.status(), [0, null]);
    const messagesOf = await app.events('schedule_missed', 'schedule_stopped');
    assert.deepEqual(
      messagesOf.map(({ kind, severity }) => [kind, severity]),
      [['schedule_missed', 'error']],
    );
  });

  it('a Schedule has failed when it was still starting as the next one took its run over', async () => {
    await app.plan(20, 20 + 20 * SECOND);
    const second = await app.plan(20 + 20 * SECOND, 21);
    await app.goTo(20 + 20 * SECOND);
    assert.deepEqual(await app.status(), [1, second.id]);
    assert.equal((await app.firings())[0]?.state, 'failed');
    assert.match((await app.events('schedule_missed'))[0]?.message ?? '', /^Schedule "Plan 1" is over and was never/u);
    await app.onAir();
    await app.goTo(21);
    assert.equal((await app.firings())[1]?.state, 'done');
  });

  it('a Schedule has failed when each of its starts came to nothing', async () => {
    await app.plan(20, 20 + 3 * MINUTE);
    const doomed = async (from: number): Promise<void> => {
      await app.goTo(from);
      app.device.failed((await app.run())!.runId, 'No evidence within 30 s.');
      await app.settled();
    };
    for (const after of [0, MINUTE, 2 * MINUTE]) await doomed(20 + after);
    await app.goTo(20 + 3 * MINUTE);
    assert.deepEqual(await app.occurrences(0, 48), [[20, 'failed']]);
    const messagesOf = await app.events('schedule_missed', 'schedule_stopped');
    assert.deepEqual(
      messagesOf.map(({ kind, severity }) => [kind, severity]),
      [['schedule_missed', 'error']],
    );
  });

  it('a Schedule is no longer tried once a user has stopped the Live stream', async () => {
    await app.plan(20, 21);
    await app.data('updateLivestream', { livestreamId: app.livestreamId, enabled: false });
    await app.goTo(20.1);
    await app.data('stopLivestream', { livestreamId: app.livestreamId });
    await app.data('updateLivestream', { livestreamId: app.livestreamId, enabled: true });
    await app.goTo(20.5);
    assert.deepEqual(await app.status(), [0, null]);
  });

  it('a Live stream stays on air without a gap when one Schedule ends as another of the same Live stream begins', async () => {
    const first = await app.plan(20, 21);
    const second = await app.plan(21, 22);
    await app.goTo(20);
    await app.onAir();
    const { runId } = (await app.run())!;
    await app.goTo(21);
    assert.deepEqual(await app.status(), [2, second.id]);
    assert.equal((await app.run())?.runId, runId, 'viewers see no gap');
    await app.goTo(22);
    assert.deepEqual(await app.status(), [0, null]);
    const messagesOf = (await app.firings()).map(({ scheduleId, state, open }) => [scheduleId, state, open]);
    assert.deepEqual(messagesOf, [
      [first.id, 'done', false],
      [second.id, 'done', false],
    ]);
  });

  it('a Schedule of whole days never leaves the air', async () => {
    const { id } = await app.plan(20, 44, { recurrence: { type: 'daily' } });
    await app.goTo(20);
    await app.onAir();
    const { runId } = (await app.run())!;
    await app.goTo(100);
    assert.deepEqual(await app.status(), [2, id]);
    assert.equal((await app.run())?.runId, runId);
    assert.deepEqual(
      (await app.firings()).map(({ state }) => state),
      ['done', 'done', 'done', 'on_air'],
    );
  });

  it('a Schedule that has to run elsewhere is stopped before the next one starts', async () => {
    const { id: idEncoderGroup } = await app.data('createDeviceGroup', { name: 'Here', devices: [app.deviceId] });
    await app.plan(20, 21);
    const second = await app.plan(21, 22, { idEncoderGroup });
    await app.goTo(20);
    await app.onAir();
    const { runId } = (await app.run())!;
    await app.goTo(21);
    await app.goTo(21 + 5 * SECOND);
    assert.deepEqual(await app.status(), [1, second.id]);
    assert.notEqual((await app.run())?.runId, runId);
    assert.deepEqual(await app.events('start_failed'), []);
  });

  it('two control planes that both run a Schedule start its Live stream once', async () => {
    const parts = { store: app.store, clock: app.clock, control: app.control };
    const others = Array.from({ length: 3 }, () => new Schedules({ ...parts, log: silentLog }));
    for (const other of others) await other.begin();
    await app.plan(20, 21, { recurrence: { type: 'daily' } });
    await app.goTo(20);
    await app.onAir();
    await app.goTo(44);
    await app.onAir();
    await app.goTo(45);
    for (const other of others) other.end();
    assert.equal((await app.firings()).length, 2);
    assert.equal((await app.events('start_requested')).length, 2);
    assert.equal((await app.events('stop_requested')).length, 2);
  });

  it('a Schedule of a zone keeps its wall clock over the change of it', async () => {
    const zurich = { timezone: 'Europe/Zurich', recurrence: { type: 'daily' } };
    // The clock is set forward: a quarter of a year of timers would take seconds.
    app.clock.step(24 * 86 * 3_600_000 - 60_000);
    await app.goTo(24 * 86);
    // 2026-03-29 is the day on which 02:00 becomes 03:00 there.
    const { id: scheduleId } = await app.plan(24 * 86 + 20, 24 * 86 + 21, zurich);
    const hours = (await app.occurrences(24 * 86, 24 * 89, { scheduleId })).map(([hour]) => hour - 24 * 86);
    assert.deepEqual(hours, [20, 24 + 19, 48 + 19]);
    await app.goTo(24 * 87 + 19);
    assert.deepEqual(await app.status(), [1, scheduleId]);
  });

  it('some minutes before its start a Schedule warns once of what would prevent that start, and of nothing when all is well', async () => {
    await app.plan(20, 21);
    const { livestreamId: other } = await addAnother(app);
    await app.plan(20, 21, { livestreamId: other });
    await app.data('updateLivestream', { livestreamId: app.livestreamId, enabled: false });
    await app.goTo(20 - 6 * MINUTE);
    assert.deepEqual(await app.events('schedule_warning'), []);
    await app.goTo(20 - 4 * MINUTE);
    await app.up();
    await app.goTo(20 - MINUTE);
    const warnings = await app.events('schedule_warning');
    assert.deepEqual(
      warnings.map(({ severity, at }) => [severity, at]),
      [['warning', app.at(20 - 5 * MINUTE)]],
    );
    assert.match(warnings[0]?.message ?? '', /Plan 1" is to start it in 300 s, .*disabled; set enabled to true first/u);
  });

  it('a Schedule skips the occurrence on air only when that is confirmed, and never runs it again', async () => {
    const { id: scheduleId } = await app.plan(20, 21, { recurrence: { type: 'daily' } });
    await app.goTo(20);
    await app.onAir();
    const one = { scheduleId, occurrence_start: app.at(20) };
    const refused = await app.refused('confirmation_required', 'skipOccurrence', one);
    assert.deepEqual(refused.extras.facts, { flag: 'confirmStopLive' });
    assert.equal((await app.status())[0], 2);
    const skip = await app.data('skipOccurrence', { ...one, confirmStopLive: true });
    await app.settled();
    assert.deepEqual(await app.status(), [0, null]);
    assert.deepEqual(await app.occurrences(0, 48), [
      [20, 'skipped'],
      [44, 'planned'],
    ]);
    await app.refused('wrong_state', 'restoreSkip', { scheduleId, skipId: skip['skipId'] });
    await app.goTo(20.9);
    assert.deepEqual(await app.status(), [0, null]);
  });

  it('a Schedule starts an occurrence that is restored while its time is on', async () => {
    const { id: scheduleId } = await app.plan(20, 21, { recurrence: { type: 'daily' } });
    const skip = await app.data('skipOccurrence', { scheduleId, occurrence_start: app.at(20) });
    await app.goTo(20.25);
    assert.deepEqual(await app.status(), [0, null]);
    await app.data('restoreSkip', { scheduleId, skipId: skip['skipId'] });
    await app.settled();
    assert.deepEqual(await app.status(), [1, scheduleId]);
  });

  it('a Schedule that is deleted on air is stopped, and its Destinations stay off at the next start', async () => {
    const { id: scheduleId } = await app.plan(20, 21, { recurrence: { type: 'daily' } });
    await app.goTo(20);
    await app.onAir();
    await app.data('deleteSchedule', { scheduleId });
    await app.settled();
    assert.deepEqual(await app.status(), [0, null]);
    const config = await app.data('getLivestreamStartConfig', { livestreamId: app.livestreamId });
    const { publishingId } = app;
    assert.deepEqual(config['startConfig'], [{ publishingId, primary: false, backup: false }]);
    const refused = await app.refused('rule_violated', 'startLivestream', { livestreamId: app.livestreamId });
    assert.match(refused.message, /Every Destination is switched off/u);
    assert.deepEqual(await app.occurrences(0, 96), [[20, 'done']]);
    const startConfig = [{ publishingId }];
    await app.data('startLivestream', { livestreamId: app.livestreamId, startConfig });
  });

  it('a Schedule that is deleted off air leaves the Destinations as they are', async () => {
    const { id: scheduleId } = await app.plan(20, 21);
    await app.data('startLivestream', { livestreamId: app.livestreamId });
    await app.onAir();
    await app.data('deleteSchedule', { scheduleId });
    await app.goTo(20.5);
    assert.deepEqual(await app.status(), [2, null]);
  });
});

async function addAnother(app: ScheduleApp): Promise<{ livestreamId: number }> {
  const { channelId, encodingId } = (await app.data('getLivestreamById', {
    livestreamId: app.livestreamId,
  })) as never;
  const { id: publishingId } = await app.data('addPublishing', { name: 'Other web', type: 'HLS / TS' });
  const bound = { name: 'Other show', channelId, encodingId, publishingId };
  return { livestreamId: (await app.data('addLivestream', bound)).id };
}
