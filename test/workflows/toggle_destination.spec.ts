import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import { profileByName } from '../../profiles/profiles.ts';
import { bindDestinations } from './destinations.ts';
import { onAir, startWorkflowApp, type WorkflowApp } from './workflow-app.ts';

let app: WorkflowApp;
let bound: Awaited<ReturnType<typeof bindDestinations>>;
beforeEach(async () => {
  app = await startWorkflowApp();
  bound = await bindDestinations(app);
});
afterEach(() => app.close());

const toggle = (destination: string, path: string, enabled: boolean, more: object = {}): Promise<any> =>
  app.run('toggle_destination', { livestream: 'Show', destination, path, enabled, ...more });

test('toggle_destination turns one path on and off, and says whether it delivers', async () => {
  await onAir(app);
  const { publishings, ...on } = await toggle('CDN east', 'backup', true);
  assert.equal(publishings, undefined);
  assert.deepEqual(on, {
    livestreamId: app.livestreamId,
    name: 'Show',
    publishingId: bound.east,
    destination: 'CDN east',
    path: 'backup',
    enabled: true,
    state: 'up',
    changed: true,
    message: 'For "Show", the backup path of "CDN east" is on and delivers.',
    notes: [],
  });
  assert.equal((await toggle('CDN east', 'backup', true)).changed, false);
  const off = await toggle(String(bound.west), 'primary', false);
  assert.deepEqual([off.state, off.message], ['idle', 'For "Show", the primary path of "CDN west" is off.']);
  assert.deepEqual(app.device.changes.length, 3, 'on again is a new try');
});

test('toggle_destination says that nobody gets the stream when it turns the last path off', async () => {
  await onAir(app);
  for (const name of ['CDN east', 'CDN west']) await toggle(name, 'primary', false);
  const { message } = await toggle('Web', 'primary', false);
  assert.match(message as string, /is delivered nowhere now/u);
  const { message: status } = await app.run('get_livestream_status', { livestream: 'Show' });
  assert.match(status as string, /but all its outputs are off, so nobody gets it\.$/u);
});

test('toggle_destination is the same change as runtimeTogglePublishings', async () => {
  await onAir(app);
  await toggle('CDN east', 'backup', true);
  const publishings = [{ publishingId: bound.east, backup: true }];
  await app.run('runtimeTogglePublishings', { livestreamId: app.livestreamId, publishings });
  const [first, second] = app.device.changes;
  assert.deepEqual(first, second);
});

test('toggle_destination takes only the Destinations that are bound, and says which they are', async () => {
  await onAir(app);
  assert.equal(
    (
      await app.refusal('toggle_destination', {
        livestream: 'Show',
        destination: 'CDN',
        path: 'primary',
        enabled: false,
      })
    ).code,
    'conflict',
  );
  const unknown = await app.refusal('toggle_destination', {
    livestream: 'Show',
    destination: 'Radio',
    path: 'primary',
    enabled: false,
  });
  assert.deepEqual([unknown.code, /no Destination "Radio"/u.test(unknown.message)], ['not_found', true]);
  const stranger = await app.refusal('toggle_destination', {
    livestream: 'Show',
    destination: '99',
    path: 'primary',
    enabled: false,
  });
  assert.equal(stranger.code, 'rule_violated');
  assert.match(
    stranger.message,
    /Publishing 99 is not bound to "Show"; bound are 1 "Web", 2 "CDN east", 3 "CDN west"\./u,
  );
  const url = await app.refusal('toggle_destination', {
    livestream: 'Show',
    destination: 'CDN west',
    path: 'backup',
    enabled: true,
  });
  assert.equal(url.code, 'rule_violated');
});

test('a Destination that joins the group on air is turned on at once, 50 times of 50; one that is not in it is told the way', async () => {
  const { web, east, west } = bound;
  const { id: groupId } = (await app.store.find('publishingGroups', {})).rows[0]!;
  const members = (elements: number[]): Promise<any> =>
    app.run('updatePublishingGroup', { groupId, elements, confirmStopDestination: true });
  await onAir(app);
  for (let round = 1; round <= 50; round += 1) {
    await members([web, east]);
    const { data } = await members([web, east, west]);
    assert.match(
      data.notes.join(' '),
      /^Live stream "Show" is on air and gets Destination "CDN west", switched off\.$/u,
    );
    assert.deepEqual((await toggle('CDN west', 'primary', true)).enabled, true, `round ${round}`);
  }
  await members([web, east]);
  const wanted = { livestream: 'Show', destination: 'CDN west', path: 'primary', enabled: true };
  const refused = await app.refusal('toggle_destination', wanted);
  assert.equal(refused.code, 'rule_violated');
  assert.match(refused.message, /"CDN west" is not bound to "Show"; .*updatePublishingGroup .*keeps the picture/u);
  const { operationId, arguments: args } = refused.extras.facts!['next_call'] as {
    operationId: string;
    arguments: object;
  };
  await app.run(operationId, args);
  assert.equal((await toggle('CDN west', 'primary', true)).enabled, true, 'the way leads there');
  const edit = await app.refusal('updateLivestream', { livestreamId: app.livestreamId, publishingId: west });
  assert.match(edit.message, new RegExp(`On air updatePublishingGroup ${groupId} changes its Destinations`, 'u'));

  app.device.refuseChanges(new AppError('unavailable', 'The Device is away.'));
  const left = { groupId, elements: [web, east], confirmStopDestination: true };
  const answer = await app.run('updatePublishingGroup', left, { signal: AbortSignal.abort() });
  assert.match(answer.data.notes.at(-1), /still under way for Live stream "Show"/u);
});

test('a Destination with a single path has no backup to turn', async () => {
  await onAir(app);
  const answer = await toggle('Web', 'backup', true);
  assert.deepEqual([answer.changed, answer.enabled], [false, false]);
  assert.equal(answer.message, '"Web" has a single path, and no backup to turn on or off.');
});

test('toggle_destination needs a broadcast on air', async () => {
  const error = await app.refusal('toggle_destination', {
    livestream: 'Show',
    destination: 'Web',
    path: 'primary',
    enabled: false,
  });
  assert.deepEqual([error.code, error.extras.facts], ['wrong_state', { state: 0, allowed: [2] }]);
});

test('toggle_destination with dry_run says the effect, refuses what would be refused, and changes nothing', async () => {
  const idle = { livestream: 'Show', destination: 'Web', path: 'primary', enabled: false, dry_run: true };
  assert.equal((await app.refusal('toggle_destination', idle)).code, 'wrong_state');
  await onAir(app);
  const plan = await toggle('CDN east', 'primary', false, { dry_run: true });
  assert.deepEqual([plan.changed, plan.enabled], [false, true]);
  assert.equal(plan.message, 'For "Show", the primary path of "CDN east" is on and would be turned off.');
  const again = await toggle('CDN east', 'primary', true, { dry_run: true });
  assert.equal(
    again.message,
    'For "Show", the primary path of "CDN east" is on already; it would be tried again if it is in trouble.',
  );
  assert.deepEqual(app.device.changes, []);
});

test('toggle_destination refuses what the encoder refuses', async () => {
  await onAir(app);
  app.device.refuseChanges(new AppError('timeout', 'late'));
  const error = await app.refusal('toggle_destination', {
    livestream: 'Show',
    destination: 'Web',
    path: 'primary',
    enabled: false,
  });
  assert.equal(error.code, 'timeout');
  assert.equal((await app.store.get('runs', app.livestreamId))?.row.startConfig[0]?.primary, true);
});

test('the spoken answer of toggle_destination has no ids and no addresses', async () => {
  await onAir(app);
  const more = { profile: profileByName('voice') };
  const args = { livestream: 'Show', destination: 'cdn east', path: 'backup', enabled: true };
  const { message } = await app.run('toggle_destination', args, more);
  assert.doesNotMatch(message, /\d|:\/\//u);
});
