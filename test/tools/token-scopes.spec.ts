import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { TokenScope } from '../../domain/shapes/installation/security.ts';
import { profileByName, profiles } from '../../profiles/profiles.ts';
import { mayCall } from '../../toolkit/access.ts';
import { isWorkflow } from '../../toolkit/tool.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { fieldsOf } from '../app/calls.ts';
import { catalogue, startTestApp, type TestApp } from '../app/test-app.ts';
import { wordsOf } from '../helpers/words.ts';

const all = [...catalogue.operations, ...catalogue.workflows];
const full = profileByName('full');
const only = (...operations: string[]): TokenScope => ({ profile: null, operations });
const callable = (scope: TokenScope): string[] =>
  all.filter((tool) => mayCall(tool, full, { role: 1, scope }, profiles)).map(({ name }) => name);

describe('what a limited API token may call', () => {
  it('each workflow performs operations that exist, and a token with exactly these may call it', () => {
    for (const workflow of catalogue.workflows) {
      assert.ok(isWorkflow(workflow) && workflow.performs !== undefined, workflow.name);
      for (const name of workflow.performs)
        assert.ok(
          catalogue.operations.some((tool) => tool.name === name),
          name,
        );
      assert.ok(callable(only(...workflow.performs)).includes(workflow.name), workflow.name);
      for (const left of workflow.performs) {
        const others = workflow.performs.filter((name) => name !== left);
        assert.ok(
          !callable(only('getAllUsers', ...others)).includes(workflow.name),
          `${workflow.name} without ${left}`,
        );
      }
    }
  });

  it('a token with one operation may call that one, and the workflows that perform nothing else', () => {
    for (const { name } of catalogue.operations) {
      const workflows = catalogue.workflows.filter(
        ({ performs = [] }) => performs.length === 1 && performs[0] === name,
      );
      assert.deepEqual(callable(only(name)), [name, ...workflows.map((workflow) => workflow.name)]);
    }
  });

  it('a token with a profile may call what that profile allows, and with operations too what both allow', () => {
    for (const { name, allows } of profiles) {
      const profile = name as TokenScope['profile'];
      assert.deepEqual(
        callable({ profile, operations: null }),
        all.filter(allows).map((tool) => tool.name),
      );
    }
    assert.deepEqual(callable({ profile: 'readonly', operations: ['getAllChannels', 'addChannel'] }), [
      'getAllChannels',
    ]);
  });
});

describe('API tokens with a scope', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  it('createApiToken keeps profile and operations, each name once, and listApiTokens shows both', async () => {
    const operations = ['startLivestream', 'getLivestreamsStatus', 'startLivestream'];
    const made = await app.data('createApiToken', { name: 'desk', profile: 'voice', operations });
    const kept = { profile: 'voice', operations: ['startLivestream', 'getLivestreamsStatus'] };
    assert.deepEqual({ profile: made['profile'], operations: made['operations'] }, kept);
    const [row] = await app.rows('listApiTokens', { fields: 'profile,operations' });
    assert.deepEqual({ profile: row?.['profile'], operations: row?.['operations'] }, kept);
    const [overMcp] = await app.rows('listApiTokens', {}, { via: 'mcp' });
    assert.deepEqual([overMcp?.['profile'], overMcp?.['operations']], ['voice', kept.operations]);
  });

  it('createApiToken refuses no operations, a profile that is none, and names the nearest of an operation that is none', async () => {
    for (const limits of [
      { operations: [] },
      { profile: 'root' },
      { operations: [''] },
      { operations: 'startLivestream' },
    ])
      await app.refused('invalid_input', 'createApiToken', { name: 'x', ...limits });
    const operations = ['getAllChannels', 'startLiveStream'];
    const error = await app.refused('invalid_input', 'createApiToken', { name: 'x', operations });
    assert.deepEqual(fieldsOf(error), ['operations.1']);
    assert.equal((error.extras.errors?.[0]?.['nearest'] as string[])[0], 'startLivestream');
    assert.equal((await app.rows('listApiTokens')).length, 0);
  });

  it('the name of a workflow is accepted beside the operations that it performs, and refused with them without', async () => {
    const error = await app.refused('invalid_input', 'createApiToken', { name: 'x', operations: ['start_livestream'] });
    assert.deepEqual(error.extras.errors?.[0]?.['needs_operations'], ['startLivestream']);
    await app.data('createApiToken', { name: 'x', operations: ['start_livestream', 'startLivestream'] });
  });

  it('a limited token makes none wider: what is left out is its own limit, and more is refused', async () => {
    const own = ['createApiToken', 'listApiTokens', 'getAllChannels'];
    const scope: TokenScope = { profile: 'full', operations: own };
    const left = await app.data('createApiToken', { name: 'left out' }, { scope });
    assert.deepEqual([left['profile'], left['operations']], ['full', own]);
    const less = await app.data(
      'createApiToken',
      { name: 'less', profile: 'readonly', operations: ['getAllChannels'] },
      { scope },
    );
    assert.deepEqual([less['profile'], less['operations']], ['readonly', ['getAllChannels']]);
    const error = await app.refused(
      'forbidden',
      'createApiToken',
      { name: 'more', operations: ['getAllChannels', 'deleteChannel'] },
      { scope },
    );
    assert.match(error.message, /none that is wider.*deleteChannel/u);
    const makers = profiles.filter(({ allows }) => allows(catalogue.get('createApiToken'))).map(({ name }) => name);
    assert.deepEqual(makers, ['full'], 'any profile is at most as wide as that of a token that makes others');
  });

  it('a refusal says which scope would allow the call', async () => {
    const outside = await app.refused(
      'forbidden',
      'startLivestream',
      { livestreamId: 1 },
      { scope: only('getAllChannels') },
    );
    assert.deepEqual(outside.extras.facts?.['needs_operations'], ['startLivestream']);
    const workflow = await app.refused(
      'forbidden',
      'start_livestream',
      { livestream: '1' },
      { scope: only('getAllChannels') },
    );
    assert.match(workflow.message, /performs startLivestream/u);
    const scope: TokenScope = { profile: 'readonly', operations: null };
    const profile = await app.refused('profile_forbidden', 'startLivestream', { livestreamId: 1 }, { scope });
    assert.deepEqual(profile.extras.facts?.['allowed_by'], ['voice', 'operator', 'full']);
    assert.match(profile.message, /profile readonly of this API token/u);
    const role = await app.refused('forbidden', 'addUser', {}, { scope: only('getAllChannels'), user: 'operator' });
    assert.equal(role.extras.facts?.['needs_role'], 1);
  });

  it('a token plans only what it may do itself', async () => {
    const { livestreamId } = await addBroadcast(app);
    const plan = { livestreamId, type: 'start', execute_at: '2026-01-02T00:00:00Z' };
    const planning = ['addLivestreamAction', 'updatePlannedAction', 'disablePlannedAction', 'enablePlannedAction'];
    const scope = only(...planning);
    await app.refused('forbidden', 'addLivestreamAction', plan, { scope });
    const { id: actionId } = await app.data('addLivestreamAction', plan);
    await app.refused('forbidden', 'updatePlannedAction', { actionId, execute_at: '2026-01-03T00:00:00Z' }, { scope });
    await app.data('disablePlannedAction', { actionId }, { scope });
    await app.refused('forbidden', 'enablePlannedAction', { actionId }, { scope });
    await app.data('enablePlannedAction', { actionId }, { scope: only(...planning, 'startLivestream') });
  });

  it('a token has the clock start and stop only what it may start and stop itself', async () => {
    const { livestreamId } = await addBroadcast(app);
    const air = ['startLivestream', 'stopLivestream'];
    const times = { start: '2026-01-02T10:00:00Z', end: '2026-01-02T11:00:00Z', recurrence: { type: 'daily' } };
    const fields = { name: 'Daily', livestreamId, ...times };
    const { id: scheduleId } = await app.data('addSchedule', fields);
    const skip = { scheduleId, occurrence_start: '2026-01-03T10:00:00Z' };
    const { skipId } = await app.data('skipOccurrence', skip, { scope: only('skipOccurrence') });
    const setUp = { address: 'http://127.0.0.1:9/live.m3u8', start_at: times.start, end_at: times.end, dry_run: true };
    const later = { start: '2026-02-02T20:00:00Z', end: '2026-02-02T21:00:00Z' };
    for (const [operation, args, others = []] of [
      ['addSchedule', { ...fields, name: 'Other', ...later, recurrence: { type: 'none' } }],
      ['updateSchedule', { scheduleId, name: 'Renamed' }],
      ['restoreSkip', { scheduleId, skipId }],
      ['schedule_livestream', { livestream: String(livestreamId), ...later, dry_run: true }, ['addSchedule']],
      [
        'setUpBroadcast',
        setUp,
        ['addChannel', 'addEncoding', 'addEncodingGroup', 'addPublishing', 'addLivestream', 'addSchedule'],
      ],
    ] as [string, object, string[]?][]) {
      for (const left of air) {
        const scope = only(operation, ...others, ...air.filter((name) => name !== left));
        const error = await app.refused('forbidden', operation, args as never, { scope });
        assert.deepEqual(error.extras.facts?.['needs_operations'], [left], operation);
      }
      const allowed = await app.call(operation, args as never, { scope: only(operation, ...others, ...air) });
      assert.ok(allowed.status < 300, operation);
    }
    const pausing = only('updateSchedule');
    await app.data('updateSchedule', { scheduleId, enabled: false }, { scope: pausing });
    await app.refused('forbidden', 'updateSchedule', { scheduleId, enabled: true }, { scope: pausing });
    await app.data('deleteSchedule', { scheduleId }, { scope: only('deleteSchedule') });
  });

  it('a set-up needs each of its operations beside its own, and is refused before the first', async () => {
    const steps = wordsOf('addChannel addEncoding addEncodingGroup addPublishing addLivestream startLivestream');
    const request = { address: 'http://127.0.0.1:9/live.m3u8', dry_run: true };
    for (const left of steps) {
      const scope = only('setUpBroadcast', ...steps.filter((name) => name !== left));
      const error = await app.refused('forbidden', 'setUpBroadcast', request, { scope });
      assert.deepEqual(error.extras.facts?.['needs_operations'], [left]);
    }
    const scope = only('setUpBroadcast', ...steps);
    assert.equal((await app.call('setUpBroadcast', request, { scope })).status, 200);
    await app.refused(
      'forbidden',
      'setUpBroadcast',
      { filename: 'a.mp4', content_base64: 'AAAA', dry_run: true },
      { scope },
    );
  });
});
