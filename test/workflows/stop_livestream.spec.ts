import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { systemClock } from '../../domain/time/clock.ts';
import { Schedules } from '../../scheduler/schedules.ts';
import { onAir, startWorkflowApp, type WorkflowApp } from './workflow-app.ts';
import { silentLog } from '../helpers/silent-log.ts';

let app: WorkflowApp;
beforeEach(async () => {
  app = await startWorkflowApp();
});
afterEach(() => app.close());

test('stop_livestream waits until the Live stream is off air', async () => {
  await onAir(app);
  const answer = await app.run('stop_livestream', { livestream: 'Show' });
  assert.deepEqual(
    { ...answer, seconds: 0 },
    {
      livestreamId: app.livestreamId,
      name: 'Show',
      status: 0,
      on_air: false,
      message: '"Show" is off air.',
      changed: true,
      seconds: 0,
      schedule: null,
    },
  );
});

test('stop_livestream changes nothing on a Live stream that is off already, and says so', async () => {
  const answer = await app.run('stop_livestream', { livestream: 'Show' });
  assert.equal(answer.changed, false);
  assert.equal(answer.message, '"Show" is off air already.');
});

test('a stop that lasts longer than the wait says so', async () => {
  await onAir(app);
  const release = app.device.holdStops();
  const answer = await app.run('stop_livestream', { livestream: 'Show', wait_seconds: 0 });
  assert.equal(answer.status, 2);
  assert.match(answer.message, /still stopping/u);
  release();
  assert.equal((await app.run('stop_livestream', { livestream: 'Show' })).status, 0);
});

test('stop_livestream with dry_run says what it would end and ends nothing', async () => {
  await onAir(app);
  const plan = await app.run('stop_livestream', { livestream: 'Show', dry_run: true });
  assert.match(plan.message, /on air for .*a stop would end 1 destination/u);
  assert.equal((await app.store.get('runs', app.livestreamId))?.row.desired, 'on');
  assert.equal((await app.run('stop_livestream', { livestream: 'Show' })).changed, true);
  assert.match((await app.run('stop_livestream', { livestream: 'Show', dry_run: true })).message, /off air already/u);
});

test('stop_livestream with dry_run counts the Destinations that are fed', async () => {
  const { data: second } = await app.run('addPublishing', { name: 'Second', type: 'HLS / TS' });
  const { rows } = await app.run('getAllPublishings', {});
  const elements = rows.map(({ id }: { id: number }) => id);
  const { data: group } = await app.run('addPublishingGroup', { name: 'Both', elements });
  const { livestreamId } = app;
  await app.run('updateLivestream', { livestreamId, publishingId: null, publishingGroupId: group.id });
  const startConfig = elements.map((publishingId: number) => {
    const primary = publishingId !== second.id;
    return { publishingId, primary, backup: false };
  });
  await app.run('startLivestream', { livestreamId, startConfig });
  app.device.running(await app.runId());
  await app.run('start_livestream', { livestream: 'Show' });
  const { data: status } = await app.run('getLivestreamStatus', { livestreamId });
  assert.equal(status.publishings.length, 2);
  const plan = await app.run('stop_livestream', { livestream: 'Show', dry_run: true });
  assert.match(plan.message, /a stop would end 1 destination\./u);
});

describe('stop_livestream of a Schedule', () => {
  let task: Schedules;
  afterEach(() => task.end());

  /** On air by a Schedule that has begun a minute ago. */
  async function onAirBySchedule(recurrence: object): Promise<number> {
    task = new Schedules({ ...app, clock: systemClock, log: silentLog });
    await task.begin();
    const instant = (minutes: number): string => new Date(systemClock.now() + minutes * 60_000).toISOString();
    const times = { start: instant(-1), end: instant(59) };
    const { data } = await app.run('addSchedule', {
      name: 'Gala',
      livestreamId: app.livestreamId,
      ...times,
      recurrence,
    });
    app.device.running(await app.runId());
    await app.run('start_livestream', { livestream: 'Show' });
    return data.id;
  }

  test('a series whose occurrence is stopped goes on with its next one', async () => {
    const scheduleId = await onAirBySchedule({ type: 'daily' });
    const start = Date.parse((await app.store.get('schedules', scheduleId))!.row.start);
    const next_start = new Date(start + 86_400_000).toISOString();
    const schedule = { scheduleId, name: 'Gala', cancelled: false, next_start };
    const plan = await app.run('stop_livestream', { livestream: 'Show', dry_run: true });
    assert.deepEqual([plan.changed, plan.schedule], [false, schedule]);
    assert.match(
      plan.message,
      /a stop would end 1 destination\. Only this occurrence of the Schedule "Gala" ends; the next one is on/u,
    );
    const answer = await app.run('stop_livestream', { livestream: 'Show' });
    assert.deepEqual([answer.status, answer.changed, answer.schedule], [0, true, schedule]);
    assert.match(
      answer.message,
      /^"Show" is off air\. Only this occurrence of the Schedule "Gala" ends; the next one is on \w+/u,
    );
    const row = (await app.store.get('schedules', scheduleId))?.row;
    assert.equal(row?.enabled, true);
    const run = (await app.store.get('runs', app.livestreamId))?.row;
    assert.ok(
      run?.startConfig.every((entry) => entry.primary),
      'its Destinations stay on',
    );
  });

  test('a Schedule for once is cancelled when its Live stream is stopped', async () => {
    const scheduleId = await onAirBySchedule({ type: 'none' });
    const plan = await app.run('stop_livestream', { livestream: 'Show', dry_run: true });
    assert.match(plan.message, /With it the Schedule "Gala", which was for this once, is cancelled\.$/u);
    assert.equal((await app.store.get('schedules', scheduleId))?.row.enabled, true);
    const answer = await app.run('stop_livestream', { livestream: 'Show' });
    assert.deepEqual(answer.schedule, { scheduleId, name: 'Gala', cancelled: true, next_start: null });
    assert.equal((await app.store.get('schedules', scheduleId))?.row.enabled, false);
    const { rows } = await app.store.find('firings', {});
    assert.deepEqual(
      rows.map(({ state, open }) => [state, open]),
      [['done', false]],
    );
  });
});
