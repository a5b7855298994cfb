import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { onAir, openStage, type Stage } from './on-rooms.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.close());

test('waits until it is off air', async () => {
  await onAir(stage);
  const answer = await stage.run('stop_livestream', { livestream: 'Show' });
  assert.deepEqual({ ...answer, seconds: 0 }, {
    livestreamId: stage.livestreamId, name: 'Show', status: 0, on_air: false, message: 'Show is off air.', changed: true, seconds: 0,
  }); // prettier-ignore
});

test('one that is off already', async () => {
  const answer = await stage.run('stop_livestream', { livestream: 'Show' });
  assert.equal(answer.changed, false);
  assert.equal(answer.message, 'Show is off air already.');
});

test('a stop that lasts longer than the wait says so', async () => {
  await onAir(stage);
  const release = stage.device.holdStops();
  const answer = await stage.run('stop_livestream', { livestream: 'Show', wait_seconds: 0 });
  assert.equal(answer.status, 2);
  assert.match(answer.message, /still stopping/u);
  release();
  assert.equal((await stage.run('stop_livestream', { livestream: 'Show' })).status, 0);
});

test('dry_run tells what it would end and ends nothing', async () => {
  await onAir(stage);
  const plan = await stage.run('stop_livestream', { livestream: 'Show', dry_run: true });
  assert.match(plan.message, /on air for .*a stop would end 1 destination/u);
  assert.equal((await stage.store.get('runs', stage.livestreamId))?.row.desired, 'on');
  assert.equal((await stage.run('stop_livestream', { livestream: 'Show' })).changed, true);
  assert.match((await stage.run('stop_livestream', { livestream: 'Show', dry_run: true })).message, /off air already/u);
});
