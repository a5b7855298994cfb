/** What a Schedule does by itself, minute by minute. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeDevice } from '../helpers/fake-device.ts';
import { Schedules } from '../../scheduler/schedules.ts';
import { openStage, type Stage } from './schedule-app.ts';
import { silentLog } from '../helpers/silent-log.ts';

const MINUTE = 1 / 60;
const SECOND = 1 / 3600;

describe('a Schedule', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage();
  });
  afterEach(() => stage.close());

  it('starts and stops its Live stream at its times, in the name of who made it', async () => {
    const { id } = await stage.plan(20, 21);
    await stage.goTo(20 - SECOND);
    assert.deepEqual(await stage.status(), [0, null]);
    assert.deepEqual(await stage.occurrences(0, 48), [[20, 'planned']]);
    await stage.goTo(20);
    assert.deepEqual(await stage.status(), [1, id]);
    assert.deepEqual(await stage.occurrences(0, 48), [[20, 'planned']]);
    await stage.onAir();
    assert.deepEqual(await stage.occurrences(0, 48), [[20, 'on_air']]);
    await stage.goTo(21 - SECOND);
    assert.deepEqual(await stage.status(), [2, id]);
    await stage.goTo(21);
    assert.deepEqual(await stage.status(), [0, null]);
    assert.deepEqual(await stage.occurrences(0, 48), [[20, 'done']]);
    const told = await stage.events('start_requested', 'schedule_started', 'stop_requested', 'schedule_stopped');
    assert.deepEqual(
      told.map(({ kind, at }) => [kind, at]),
      [
        ['start_requested', stage.at(20)],
        ['schedule_started', stage.at(20)],
        ['schedule_stopped', stage.at(21)],
        ['stop_requested', stage.at(21)],
      ],
    );
    const audit = await stage.rows('getAuditLog', { via: 'schedule' });
    assert.deepEqual(
      audit.map((row) => [row['user'], row['operation'], row['resource_id'], row['outcome']]),
      // The newest first.
      [
        ['admin', 'stopLivestream', stage.livestreamId, 'ok'],
        ['admin', 'startLivestream', stage.livestreamId, 'ok'],
      ],
    );
    await stage.goTo(72);
    assert.equal((await stage.firings()).length, 1);
  });

  it('of a Device group runs there', async () => {
    const credentials = stage.network.stand('10.0.0.2:8092', new FakeDevice());
    const { id: other } = await stage.data('addDevice', { name: 'Far', ...credentials });
    const { id: idEncoderGroup } = await stage.data('createDeviceGroup', { name: 'Far', devices: [other] });
    await stage.plan(20, 21, { idEncoderGroup });
    await stage.goTo(20);
    assert.equal((await stage.run())?.deviceId, other);
  });

  it('that begins some minutes past starts at once', async () => {
    await stage.goTo(20 + 9 * MINUTE);
    await stage.plan(20, 21);
    assert.equal((await stage.status())[0], 1);
  });

  it('pauses and resumes: what was paused is not made up for, what is on now is', async () => {
    const { id: scheduleId } = await stage.plan(20, 21, { recurrence: { type: 'daily' } });
    await stage.data('updateSchedule', { scheduleId, enabled: false });
    await stage.goTo(22);
    assert.deepEqual(await stage.firings(), []);
    await stage.goTo(44.5);
    await stage.data('updateSchedule', { scheduleId, enabled: true });
    await stage.settled();
    assert.deepEqual(await stage.status(), [1, scheduleId]);
    await stage.onAir();
    assert.deepEqual(await stage.occurrences(0, 96), [
      [44, 'on_air'],
      [68, 'planned'],
      [92, 'planned'],
    ]);
  });

  it('that is paused on air goes on to its end', async () => {
    const { id: scheduleId } = await stage.plan(20, 21, { recurrence: { type: 'daily' } });
    await stage.goTo(20);
    await stage.onAir();
    await stage.data('updateSchedule', { scheduleId, enabled: false });
    await stage.goTo(20.9);
    assert.deepEqual(await stage.status(), [2, scheduleId]);
    await stage.goTo(21);
    assert.deepEqual(await stage.status(), [0, null]);
    await stage.goTo(50);
    assert.equal((await stage.firings()).length, 1);
  });

  it('takes its end with it when that is moved on air, and keeps its Live stream', async () => {
    const { id: scheduleId } = await stage.plan(20, 21);
    const { livestreamId: other } = await addAnother(stage);
    await stage.goTo(20);
    await stage.onAir();
    const refused = await stage.refused('wrong_state', 'updateSchedule', { scheduleId, livestreamId: other });
    assert.deepEqual(refused.extras.facts, { state: 'on_air', allowed: ['planned', 'done'] });
    await stage.data('updateSchedule', { scheduleId, end: stage.at(22) });
    await stage.goTo(21.5);
    assert.deepEqual(await stage.status(), [2, scheduleId]);
    await stage.data('updateSchedule', { scheduleId, end: stage.at(21.75) });
    await stage.goTo(21.75);
    assert.deepEqual(await stage.status(), [0, null]);
    assert.deepEqual(await stage.occurrences(0, 48), [[20, 'done']]);
  });

  it('takes over what an operator has started early, and ends it', async () => {
    const { id } = await stage.plan(20, 21);
    await stage.goTo(19.5);
    await stage.data('startLivestream', { livestreamId: stage.livestreamId }, { user: 'operator' });
    await stage.onAir();
    const runId = (await stage.run())?.runId;
    await stage.goTo(20);
    assert.deepEqual(await stage.status(), [2, id]);
    assert.equal((await stage.run())?.runId, runId);
    const [event] = await stage.events('schedule_started');
    assert.match(event?.message ?? '', /^operator had started it already; Schedule Plan 1 has taken it over/u);
    await stage.goTo(21);
    assert.deepEqual(await stage.status(), [0, null]);
  });

  it('is not started again once a user has stopped it, and leaves alone what he starts then', async () => {
    await stage.plan(20, 21, { recurrence: { type: 'daily' } });
    await stage.goTo(20);
    await stage.onAir();
    await stage.data('stopLivestream', { livestreamId: stage.livestreamId }, { user: 'operator' });
    await stage.settled();
    assert.deepEqual(await stage.occurrences(0, 48), [
      [20, 'done'],
      [44, 'planned'],
    ]);
    const [event] = await stage.events('schedule_stopped');
    assert.match(event?.message ?? '', /^operator ended this occurrence of Plan 1/u);
    await stage.goTo(20.5);
    assert.deepEqual(await stage.status(), [0, null]);
    await stage.data('startLivestream', { livestreamId: stage.livestreamId });
    await stage.onAir();
    await stage.goTo(22);
    assert.deepEqual(await stage.status(), [2, null]);
    assert.equal((await stage.firings()).length, 1);
  });

  it('is tried again while its start is refused, and tells each reason once', async () => {
    const { id } = await stage.plan(20, 21);
    await stage.data('updateLivestream', { livestreamId: stage.livestreamId, enabled: false });
    await stage.goTo(20);
    assert.deepEqual(await stage.occurrences(0, 48), [[20, 'failed']]);
    await stage.goTo(20.2);
    const refused = await stage.events('start_failed');
    assert.equal(refused.length, 1);
    assert.match(refused[0]?.message ?? '', /Plan 1 could not start it: .*disabled.*again until 2026-01-01T21/u);
    assert.ok((await stage.firings())[0]!.attempts >= 30, 'a few quick tries, then one every 20 s');
    await stage.data('updateLivestream', { livestreamId: stage.livestreamId, enabled: true });
    await stage.goTo(20.2 + 21 * SECOND);
    assert.deepEqual(await stage.status(), [1, id]);
    await stage.onAir();
    await stage.goTo(21);
    assert.deepEqual(await stage.occurrences(0, 48), [[20, 'done']]);
  });

  it('is started again when its run fails inside its window', async () => {
    const { id } = await stage.plan(20, 21);
    await stage.goTo(20);
    await stage.onAir();
    stage.device.failed((await stage.run())!.runId, 'Every Destination has failed.');
    await stage.settled();
    assert.equal((await stage.status())[0], 3);
    await stage.goTo(20 + 6 * SECOND);
    assert.deepEqual(await stage.status(), [1, id]);
    await stage.onAir();
    assert.equal((await stage.events('schedule_started')).length, 1);
    await stage.goTo(21);
    assert.deepEqual(await stage.status(), [0, null]);
    assert.equal((await stage.firings()).length, 1);
  });

  it('has failed when its time is over and nothing of it was seen', async () => {
    await stage.plan(20, 21);
    await stage.data('updateLivestream', { livestreamId: stage.livestreamId, enabled: false });
    await stage.goTo(22);
    assert.deepEqual(await stage.occurrences(0, 48), [[20, 'failed']]);
    const [event] = await stage.events('schedule_missed');
    assert.match(event?.message ?? '', /never on air\. .*disabled/u);
    const [firing] = await stage.firings();
    assert.deepEqual([firing?.open, firing?.retry_at], [false, null]);
  });

  it('has failed when it was still starting at its end', async () => {
    await stage.plan(20, 20 + 20 * SECOND);
    await stage.goTo(20);
    assert.deepEqual(await stage.occurrences(0, 48), [[20, 'planned']]);
    await stage.goTo(20 + 20 * SECOND);
    assert.deepEqual(await stage.occurrences(0, 48), [[20, 'failed']]);
    assert.deepEqual(await stage.status(), [0, null]);
    const told = await stage.events('schedule_missed', 'schedule_stopped');
    assert.deepEqual(
      told.map(({ kind, severity }) => [kind, severity]),
      [['schedule_missed', 'error']],
    );
  });

  it('has failed when it was still starting as the next one took its run over', async () => {
    await stage.plan(20, 20 + 20 * SECOND);
    const second = await stage.plan(20 + 20 * SECOND, 21);
    await stage.goTo(20 + 20 * SECOND);
    assert.deepEqual(await stage.status(), [1, second.id]);
    assert.equal((await stage.firings())[0]?.state, 'failed');
    assert.match((await stage.events('schedule_missed'))[0]?.message ?? '', /^Schedule Plan 1 is over and was never/u);
    await stage.onAir();
    await stage.goTo(21);
    assert.equal((await stage.firings())[1]?.state, 'done');
  });

  it('has failed when each of its starts came to nothing', async () => {
    await stage.plan(20, 20 + 3 * MINUTE);
    const doomed = async (from: number): Promise<void> => {
      await stage.goTo(from);
      stage.device.failed((await stage.run())!.runId, 'No evidence within 30 s.');
      await stage.settled();
    };
    for (const after of [0, MINUTE, 2 * MINUTE]) await doomed(20 + after);
    await stage.goTo(20 + 3 * MINUTE);
    assert.deepEqual(await stage.occurrences(0, 48), [[20, 'failed']]);
    const told = await stage.events('schedule_missed', 'schedule_stopped');
    assert.deepEqual(
      told.map(({ kind, severity }) => [kind, severity]),
      [['schedule_missed', 'error']],
    );
  });

  it('is no longer tried once a user has stopped the Live stream', async () => {
    await stage.plan(20, 21);
    await stage.data('updateLivestream', { livestreamId: stage.livestreamId, enabled: false });
    await stage.goTo(20.1);
    await stage.data('stopLivestream', { livestreamId: stage.livestreamId });
    await stage.data('updateLivestream', { livestreamId: stage.livestreamId, enabled: true });
    await stage.goTo(20.5);
    assert.deepEqual(await stage.status(), [0, null]);
  });

  it('hands on what is on air to the one that begins when it ends', async () => {
    const first = await stage.plan(20, 21);
    const second = await stage.plan(21, 22);
    await stage.goTo(20);
    await stage.onAir();
    const { runId } = (await stage.run())!;
    await stage.goTo(21);
    assert.deepEqual(await stage.status(), [2, second.id]);
    assert.equal((await stage.run())?.runId, runId, 'viewers see no gap');
    await stage.goTo(22);
    assert.deepEqual(await stage.status(), [0, null]);
    const told = (await stage.firings()).map(({ scheduleId, state, open }) => [scheduleId, state, open]);
    assert.deepEqual(told, [
      [first.id, 'done', false],
      [second.id, 'done', false],
    ]);
  });

  it('of whole days never leaves the air', async () => {
    const { id } = await stage.plan(20, 44, { recurrence: { type: 'daily' } });
    await stage.goTo(20);
    await stage.onAir();
    const { runId } = (await stage.run())!;
    await stage.goTo(100);
    assert.deepEqual(await stage.status(), [2, id]);
    assert.equal((await stage.run())?.runId, runId);
    assert.deepEqual(
      (await stage.firings()).map(({ state }) => state),
      ['done', 'done', 'done', 'on_air'],
    );
  });

  it('that has to run elsewhere is stopped before the next one starts', async () => {
    const { id: idEncoderGroup } = await stage.data('createDeviceGroup', { name: 'Here', devices: [stage.deviceId] });
    await stage.plan(20, 21);
    const second = await stage.plan(21, 22, { idEncoderGroup });
    await stage.goTo(20);
    await stage.onAir();
    const { runId } = (await stage.run())!;
    await stage.goTo(21);
    await stage.goTo(21 + 5 * SECOND);
    assert.deepEqual(await stage.status(), [1, second.id]);
    assert.notEqual((await stage.run())?.runId, runId);
    assert.deepEqual(await stage.events('start_failed'), []);
  });

  it('is started once by two control planes that both think it is theirs', async () => {
    const parts = { store: stage.store, clock: stage.clock, control: stage.control };
    const others = Array.from({ length: 3 }, () => new Schedules({ ...parts, log: silentLog }));
    for (const other of others) await other.begin();
    await stage.plan(20, 21, { recurrence: { type: 'daily' } });
    await stage.goTo(20);
    await stage.onAir();
    await stage.goTo(44);
    await stage.onAir();
    await stage.goTo(45);
    for (const other of others) other.end();
    assert.equal((await stage.firings()).length, 2);
    assert.equal((await stage.events('start_requested')).length, 2);
    assert.equal((await stage.events('stop_requested')).length, 2);
  });

  it('of a zone keeps its wall clock over the change of it', async () => {
    const zurich = { timezone: 'Europe/Zurich', recurrence: { type: 'daily' } };
    await stage.goTo(24 * 86);
    // 2026-03-29 is the day on which 02:00 becomes 03:00 there.
    const { id: scheduleId } = await stage.plan(24 * 86 + 20, 24 * 86 + 21, zurich);
    const hours = (await stage.occurrences(24 * 86, 24 * 89, { scheduleId })).map(([hour]) => hour - 24 * 86);
    assert.deepEqual(hours, [20, 24 + 19, 48 + 19]);
    await stage.goTo(24 * 87 + 19);
    assert.deepEqual(await stage.status(), [1, scheduleId]);
  });

  it('warns some minutes before of what would be in the way, once, and says nothing when all is well', async () => {
    await stage.plan(20, 21);
    const { livestreamId: other } = await addAnother(stage);
    await stage.plan(20, 21, { livestreamId: other });
    await stage.data('updateLivestream', { livestreamId: stage.livestreamId, enabled: false });
    await stage.goTo(20 - 6 * MINUTE);
    assert.deepEqual(await stage.events('schedule_warning'), []);
    await stage.goTo(20 - 4 * MINUTE);
    await stage.up();
    await stage.goTo(20 - MINUTE);
    const warnings = await stage.events('schedule_warning');
    assert.deepEqual(
      warnings.map(({ severity, at }) => [severity, at]),
      [['warning', stage.at(20 - 5 * MINUTE)]],
    );
    assert.match(warnings[0]?.message ?? '', /Plan 1 is to start it in 300 s, .*disabled; set enabled to true first/u);
  });

  it('skips the occurrence on air only when that is confirmed, and never runs it again', async () => {
    const { id: scheduleId } = await stage.plan(20, 21, { recurrence: { type: 'daily' } });
    await stage.goTo(20);
    await stage.onAir();
    const one = { scheduleId, occurrence_start: stage.at(20) };
    const refused = await stage.refused('confirmation_required', 'skipOccurrence', one);
    assert.deepEqual(refused.extras.facts, { flag: 'confirmStopLive' });
    assert.equal((await stage.status())[0], 2);
    const skip = await stage.data('skipOccurrence', { ...one, confirmStopLive: true });
    await stage.settled();
    assert.deepEqual(await stage.status(), [0, null]);
    assert.deepEqual(await stage.occurrences(0, 48), [
      [20, 'skipped'],
      [44, 'planned'],
    ]);
    await stage.refused('wrong_state', 'restoreSkip', { scheduleId, skipId: skip['skipId'] });
    await stage.goTo(20.9);
    assert.deepEqual(await stage.status(), [0, null]);
  });

  it('starts an occurrence that is restored while its time is on', async () => {
    const { id: scheduleId } = await stage.plan(20, 21, { recurrence: { type: 'daily' } });
    const skip = await stage.data('skipOccurrence', { scheduleId, occurrence_start: stage.at(20) });
    await stage.goTo(20.25);
    assert.deepEqual(await stage.status(), [0, null]);
    await stage.data('restoreSkip', { scheduleId, skipId: skip['skipId'] });
    await stage.settled();
    assert.deepEqual(await stage.status(), [1, scheduleId]);
  });

  it('that is deleted on air is stopped, and its Destinations stay off at the next start', async () => {
    const { id: scheduleId } = await stage.plan(20, 21, { recurrence: { type: 'daily' } });
    await stage.goTo(20);
    await stage.onAir();
    await stage.data('deleteSchedule', { scheduleId });
    await stage.settled();
    assert.deepEqual(await stage.status(), [0, null]);
    const config = await stage.data('getLivestreamStartConfig', { livestreamId: stage.livestreamId });
    const { publishingId } = stage;
    assert.deepEqual(config['startConfig'], [{ publishingId, primary: false, backup: false }]);
    const refused = await stage.refused('rule_violated', 'startLivestream', { livestreamId: stage.livestreamId });
    assert.match(refused.message, /Every Destination is switched off/u);
    assert.deepEqual(await stage.occurrences(0, 96), [[20, 'done']]);
    const startConfig = [{ publishingId }];
    await stage.data('startLivestream', { livestreamId: stage.livestreamId, startConfig });
  });

  it('that is deleted off air leaves the Destinations as they are', async () => {
    const { id: scheduleId } = await stage.plan(20, 21);
    await stage.data('startLivestream', { livestreamId: stage.livestreamId });
    await stage.onAir();
    await stage.data('deleteSchedule', { scheduleId });
    await stage.goTo(20.5);
    assert.deepEqual(await stage.status(), [2, null]);
  });
});

async function addAnother(stage: Stage): Promise<{ livestreamId: number }> {
  const { channelId, encodingId } = (await stage.data('getLivestreamById', {
    livestreamId: stage.livestreamId,
  })) as never;
  const { id: publishingId } = await stage.data('addPublishing', { name: 'Other web', type: 'HLS / TS' });
  const bound = { name: 'Other show', channelId, encodingId, publishingId };
  return { livestreamId: (await stage.data('addLivestream', bound)).id };
}
