import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { letPass } from '../helpers/pass.ts';
import { profileByName } from '../../profiles/profiles.ts';
import { onAir, startWorkflowApp, type WorkflowApp } from './workflow-app.ts';

let app: WorkflowApp;
/** Timers of the service hold no process; where nothing but time is waited for, this does. */
let awake: NodeJS.Timeout;
beforeEach(async () => {
  awake = setInterval(() => undefined, 1000);
  app = await startWorkflowApp();
});
afterEach(async () => {
  clearInterval(awake);
  await app.close();
});

test('start_livestream waits until the Live stream is on air, and says where to watch', async () => {
  const messages: string[] = [];
  const started = app.run(
    'start_livestream',
    { livestream: 'show' },
    { progress: (...step) => messages.push(step.join(' ')) },
  );
  const runId = await app.runId();
  const [publishing] = app.device.report(runId).publishings;
  app.device.running(runId, { watch: [{ publishingId: publishing!.publishingId, path: '/live/1/1/index.m3u8' }] });
  const answer = await started;
  assert.equal(answer.status, 2);
  assert.equal(answer.on_air, true);
  assert.equal(answer.changed, true);
  assert.equal(answer.message, '"Show" is on air on 1 destination.');
  assert.deepEqual(answer.watch, [
    {
      publishingId: publishing!.publishingId,
      name: 'Web',
      type: 'HLS / TS',
      url: 'http://127.0.0.1:8091/live/1/1/index.m3u8',
      device_url: null,
      expires_at: null,
    },
  ]);
  assert.equal(messages[0], '0 30 "Show" is starting.');
});

test('the first Destination puts the Live stream on air, and the others are waited for', async () => {
  const started = app.run('start_livestream', { livestream: 'Show' });
  const runId = await app.runId();
  const { publishings } = app.device.report(runId);
  const [first] = publishings;
  const second = (state: 'connecting' | 'up'): typeof publishings => {
    const path = { ...first!.primary, enabled: true, state };
    return [
      ...app.device.report(runId).publishings.slice(0, 1),
      { ...first!, publishingId: 99, name: 'CDN', primary: path },
    ];
  };
  app.device.running(runId);
  app.device.tell(runId, { publishings: second('connecting') });
  const early = await Promise.race([started, letPass(500).then(() => 'waits')]);
  assert.equal(early, 'waits');
  app.device.tell(runId, { publishings: second('up') });
  assert.equal((await started).message, '"Show" is on air on 2 destinations.');
});

test('start_livestream names a Destination in trouble and does not wait for it', async () => {
  const started = app.run('start_livestream', { livestream: 'Show' });
  const runId = await app.runId();
  const [first] = app.device.report(runId).publishings;
  app.device.running(runId);
  const [own] = app.device.report(runId).publishings;
  const path = { ...own!.primary, state: 'retrying' as const };
  app.device.tell(runId, { publishings: [own!, { ...first!, publishingId: 99, name: 'CDN', primary: path }] });
  assert.equal((await started).message, '"Show" is on air on 1 of 2 destinations; "CDN" does not deliver yet.');
});

test('a failed start is an error with the reason under upstream', async () => {
  const refused = app.refusal('start_livestream', { livestream: 'Show' });
  app.device.failed(await app.runId(), 'Connection to tcp://10.0.0.9 refused');
  const error = await refused;
  assert.equal(error.code, 'upstream_failed');
  assert.equal(error.extras.upstream, 'Connection to tcp://10.0.0.9 refused');
  assert.doesNotMatch(error.message, /10\.0\.0\.9/u);
});

test('a Live stream still starting after wait_seconds is an answer, not an error', async () => {
  const answer = await app.run('start_livestream', { livestream: 'Show', wait_seconds: 0 });
  assert.equal(answer.status, 1);
  assert.match(answer.message, /still starting/u);
});

test('a Live stream that is on air already stays as it is', async () => {
  await onAir(app);
  const starts = app.device.calls.length;
  const answer = await app.run('start_livestream', { livestream: String(app.livestreamId) });
  assert.equal(answer.changed, false);
  assert.equal(answer.message, '"Show" is on air already.');
  const plan = await app.run('start_livestream', { livestream: 'Show', dry_run: true });
  assert.equal(plan.message, '"Show" is on air already; a start would change nothing.');
  assert.equal(app.device.calls.length, starts);
});

test('start_livestream is refused as a conflict when another caller stops the Live stream while it starts', async () => {
  const refused = app.refusal('start_livestream', { livestream: 'Show' });
  await app.runId();
  await app.run('stop_livestream', { livestream: 'Show' });
  assert.equal((await refused).code, 'conflict');
});

test('a cancelled start_livestream ends its wait, and the start goes on', async () => {
  const controller = new AbortController();
  const started = app.run('start_livestream', { livestream: 'Show' }, { signal: controller.signal });
  await app.runId();
  controller.abort();
  assert.equal((await started).status, 1);
  assert.equal((await app.store.get('runs', app.livestreamId))?.row.desired, 'on');
});

test('start_livestream with dry_run says whether the Live stream could start and changes nothing', async () => {
  const plan = await app.run('start_livestream', { livestream: 'Show', dry_run: true });
  assert.equal(plan.startAllowed, true);
  assert.deepEqual(plan.reasons, []);
  assert.match(plan.message, /can start now, to "Web", on Device "studio"\./u);
  await app.run('updateLivestream', { livestreamId: app.livestreamId, enabled: false });
  const refused = await app.run('start_livestream', { livestream: 'Show', dry_run: true });
  assert.equal(refused.startAllowed, false);
  assert.equal(refused.reasons[0].code, 'disabled');
  assert.equal(await app.store.get('runs', app.livestreamId), undefined);
  assert.equal((await app.store.find('audit', { where: { operation: 'start_livestream' } })).total, 0);
});

test('start_livestream takes a Device by name, and refuses two places', async () => {
  const plan = await app.run('start_livestream', { livestream: 'Show', target: 'stud', dry_run: true });
  assert.equal(plan.startAllowed, true);
  assert.equal(
    (await app.refusal('start_livestream', { livestream: 'Show', target: 'studio', deviceId: 1 })).code,
    'invalid_input',
  );
  assert.equal((await app.refusal('start_livestream', { livestream: 'Show', target: 'basement' })).code, 'not_found');
  assert.equal((await app.refusal('start_livestream', { livestream: 'Show', deviceId: 99 })).code, 'rule_violated');
});

test('a repeated start_livestream under the same key answers the outcome and starts nothing', async () => {
  const key = { idempotencyKey: 'k1' };
  const started = app.run('start_livestream', { livestream: 'Show' }, key);
  app.device.running(await app.runId());
  const first = await started;
  await app.run('stop_livestream', { livestream: 'Show' });
  assert.deepEqual(await app.run('start_livestream', { livestream: 'Show' }, key), first);
  assert.equal((await app.store.get('runs', app.livestreamId))?.row.status, 0);
});

test('the profile readonly refuses start_livestream, with dry_run as well', async () => {
  for (const dry_run of [false, true]) {
    const error = await app.refusal(
      'start_livestream',
      { livestream: 'Show', dry_run },
      { profile: profileByName('readonly') },
    );
    assert.equal(error.code, 'profile_forbidden');
    assert.match(error.message, /voice, operator, full/u);
  }
});
