import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeDevice } from '../helpers/fake-device.ts';
import { PNG_BASE64, addBroadcast } from '../app/broadcast.ts';
import { type Row, fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { addCamera } from '../app/on-air.ts';

let app: TestApp;
let ids: Awaited<ReturnType<typeof addBroadcast>>;
let livestreamId: number;
beforeEach(async () => {
  app = await startTestApp();
  ids = await addBroadcast(app);
  ({ livestreamId } = ids);
});
afterEach(() => app.close());

/** An instant so many seconds from now. */
const inSeconds = (seconds: number): string => new Date(app.clock.now() + seconds * 1000).toISOString();
const stop = (seconds = 60): object => ({ livestreamId, type: 'stop', payload: {}, execute_at: inSeconds(seconds) });
const plan = (type: string, payload: object): object => ({ ...stop(), type, payload });
const add = (args: object): Promise<Row> => app.data('addLivestreamAction', args, { user: 'operator' });
const refusedFields = async (code: 'invalid_input' | 'rule_violated', args: object): Promise<string[]> =>
  fieldsOf(await app.refused(code, 'addLivestreamAction', args));
const setStatus = (id: number, status: string): Promise<void> =>
  app.store.tx((tx) => tx.put('plannedActions', { ...tx.get('plannedActions', id)!, status: status as never }));

describe('a planned action', () => {
  it('a planned action is answered as it was planned', async () => {
    const payload = { mode: 'Black Frame' };
    const { body, status } = await app.call(
      'addLivestreamAction',
      { livestreamId, type: 'blackout', payload, execute_at: '2026-01-01T00:01:00Z' },
      { user: 'operator' },
    );
    assert.equal(status, 201);
    const now = inSeconds(0);
    const action = {
      id: 1,
      created_at: now,
      updated_at: now,
      livestreamId,
      type: 'blackout',
      payload,
      execute_at: '2026-01-01T00:01:00.000Z',
      scheduleId: null,
      at: null,
      status: 'pending',
      error: null,
      created_by: 'operator',
    };
    assert.deepEqual((body as { data: Row }).data, action);
    assert.deepEqual(await app.data('getPlannedAction', { actionId: 1 }), action);
    assert.deepEqual(await app.rows('getLivestreamActions', { livestreamId }), [action]);
  });

  it('a planned action belongs to a Live stream that is there', async () => {
    await app.refused('not_found', 'addLivestreamAction', { ...stop(), livestreamId: 99 });
    await app.refused('not_found', 'getLivestreamActions', { livestreamId: 99 });
    await app.refused('not_found', 'getPlannedAction', { actionId: 99 });
  });

  it('the time of a planned action must be in the future', async () => {
    for (const seconds of [0, -1, -100_000])
      assert.deepEqual(await refusedFields('invalid_input', stop(seconds)), ['execute_at']);
    const error = await app.refused('invalid_input', 'addLivestreamAction', stop(-1));
    assert.match(
      error.message,
      /must be ahead; it is 2026-01-01T00:00:00.000Z now. To act at once call stopLivestream/u,
    );
    assert.deepEqual(await refusedFields('invalid_input', { ...stop(), execute_at: 'tonight' }), ['execute_at']);
  });
});

describe('the payload', () => {
  it('the payload of a planned action is the body of its operation, field by field', async () => {
    const wrong: [string, object, string[]][] = [
      ['start', { deviceId: 'one' }, ['payload.deviceId']],
      ['start', { cloudAccountId: 1, deviceId: 1 }, ['payload.cloudAccountId']],
      ['stop', { livestreamId }, ['payload.livestreamId']],
      ['logo', {}, ['payload.logo']],
      ['logo', { logo: { filename: 7 } }, ['payload.logo.filename']],
      ['blackout', { mode: 'Grey' }, ['payload.mode']],
      ['sourceSwitch', { channelId: 1, force: true }, ['payload.force']],
      ['publishings', { publishings: [] }, ['payload.publishings']],
      ['publishings', { publishings: [{ publishingId: 1, primary: 1 }] }, ['payload.publishings.0.primary']],
      ['metadata', { type: 'Cue' }, ['payload.type']],
      ['adValues', {}, ['payload.default_ad_duration']],
      ['adValues', { max_ad_duration: -1 }, ['payload.max_ad_duration']],
      ['text', { action: 'show', color: 'red' }, ['payload.color']],
      ['record', {}, ['payload.action']],
      ['options', { crop: { left: 51 } }, ['payload.crop.left']],
      ['options', { name: 'Another' }, ['payload.name']],
      ['options', { overlay: { color: '#ffffff' } }, ['payload.overlay.text']],
    ];
    for (const [type, payload, fields] of wrong)
      assert.deepEqual(await refusedFields('invalid_input', plan(type, payload)), fields, JSON.stringify(payload));
    assert.deepEqual(await refusedFields('invalid_input', plan('restart', {})), ['type']);
    assert.deepEqual(await app.ids('getAllPlannedActions'), [], 'none of them was planned');
  });

  it('the payload of a planned action keeps the rules that can be known now', async () => {
    await app.data('uploadAsset', { fileType: 'logos', filename: 'bug.png', content_base64: PNG_BASE64 });
    const { id: card } = await addCamera(app, 'card', { type: 'SDI', settings: { deviceId: 1, input: 1 } });
    const { id: other } = await app.data('addPublishing', { name: 'Other', type: 'HLS / TS' });
    const own = ids.publishingId;
    const wrong: [string, object, string[]][] = [
      ['start', { deviceId: 77 }, ['payload.deviceId']],
      ['start', { idEncoderGroup: 77 }, ['payload.idEncoderGroup']],
      ['start', { startConfig: [{ publishingId: other }] }, ['payload.startConfig.0.publishingId']],
      ['start', { startConfig: [{ publishingId: own, qualities: [77] }] }, ['payload.startConfig.0.qualities']],
      ['logo', { logo: { filename: 'gone.png' } }, ['payload.logo.filename']],
      ['blackout', { mode: 'File' }, ['payload.filename']],
      ['blackout', { mode: 'File', filename: 'gone.mp4' }, ['payload.filename']],
      ['blackout', { mode: 'Live', filename: 'gone.mp4' }, ['payload.filename']],
      ['sourceSwitch', { channelId: 77 }, ['payload.channelId']],
      ['sourceSwitch', { channelId: card }, ['payload.channelId']],
      [
        'publishings',
        { publishings: [{ publishingId: other, primary: true }] },
        ['payload.publishings.0.publishingId'],
      ],
      ['publishings', { publishings: [{ publishingId: own }] }, ['payload.publishings.0']],
      [
        'publishings',
        { publishings: [own, own].map((publishingId) => ({ publishingId, primary: true })) },
        ['payload.publishings.1.publishingId'],
      ],
      ['text', { action: 'show', text: '' }, ['payload.text']],
      ['options', { logo: { filename: 'gone.png', position: 'Top' } }, ['payload.logo.filename']],
      ['options', { fallback: { mode: 'file' } }, ['payload.fallback.filename']],
      ['options', { crop: { left: 50, right: 50, top: 0, bottom: 0 } }, ['payload.crop']],
    ];
    for (const [type, payload, fields] of wrong)
      assert.deepEqual(await refusedFields('rule_violated', plan(type, payload)), fields, JSON.stringify(payload));
    const { id: camera } = await addCamera(app, 'second');
    const right: [string, object][] = [
      ['start', { deviceId: app.deviceId, startConfig: [{ publishingId: own }] }],
      ['stop', {}],
      ['logo', { logo: { filename: 'bug.png' } }],
      ['logo', { logo: { filename: '' } }],
      ['blackout', { mode: 'Live' }],
      ['sourceSwitch', { channelId: camera }],
      ['publishings', { publishings: [{ publishingId: own, primary: false }] }],
      ['metadata', { type: 'CueIn' }],
      ['adValues', { next_ad_duration: null }],
      ['text', { action: 'show' }],
      ['record', { action: 'start' }],
      ['options', { scteMarkers: true, logo: null, fallback: { mode: 'none' } }],
    ];
    for (const [type, payload] of right) assert.deepEqual((await add(plan(type, payload)))['payload'], payload);
    // What the encoder of a copy will refuse at its time is refused now, and so is enabling what was planned before.
    const { id: before } = await add(plan('text', { action: 'show' }));
    await app.data('disablePlannedAction', { actionId: before });
    const { encodingId } = await app.data('getLivestreamById', { livestreamId: ids.livestreamId });
    await app.data('updateEncoding', {
      encodingId,
      settings_video: { codec: 'copy' },
      settings_audio: { codec: 'copy' },
    });
    const pictures = ['logo', 'blackout', 'sourceSwitch', 'text'];
    for (const [type, payload] of right.filter(([type]) => pictures.includes(type)))
      await assert.rejects(add(plan(type, payload)), /needs video that is encoded; Encoding .*codec copy/u, type);
    await assert.rejects(app.data('enablePlannedAction', { actionId: before }), /codec copy/u);
    await add(plan('metadata', { type: 'CueIn' }));
  });

  it('the payload of a planned action may be left out where the operation takes none', async () => {
    const { livestreamId: id, execute_at } = stop() as { livestreamId: number; execute_at: string };
    assert.deepEqual((await add({ livestreamId: id, execute_at, type: 'stop' }))['payload'], {});
    assert.deepEqual(await refusedFields('invalid_input', { livestreamId: id, execute_at, type: 'logo' }), [
      'payload.logo',
    ]);
  });
});

describe('lists of planned actions', () => {
  it('lists of planned actions are narrowed by time, status and Live stream, in a stable order', async () => {
    const { livestreamId: second } = await addBroadcast(app, ' two');
    for (const seconds of [30, 10, 20]) await add(stop(seconds));
    await add({ ...stop(20), livestreamId: second });
    await setStatus(3, 'executed');
    const list = (args: object): Promise<number[]> => app.ids('getAllPlannedActions', args);
    assert.deepEqual(await list({}), [1, 2, 3, 4]);
    assert.deepEqual(await list({ sort: 'execute_at' }), [2, 3, 4, 1], 'equal instants in the order of ids');
    assert.deepEqual(await list({ from: '2026-01-01T00:00:20Z' }), [1, 3, 4]);
    assert.deepEqual(await list({ from: inSeconds(20), to: inSeconds(30) }), [3, 4], 'half-open');
    assert.deepEqual(await list({ status: 'pending', livestreamId }), [1, 2]);
    for (const to of [inSeconds(20), inSeconds(19)]) {
      for (const operation of ['getAllPlannedActions', 'getLivestreamActions']) {
        const own = operation === 'getLivestreamActions' ? { livestreamId } : {};
        const error = await app.refused('invalid_input', operation, { from: inSeconds(20), to, ...own });
        assert.deepEqual(fieldsOf(error), ['to'], 'a window that ends before it begins');
      }
    }
    assert.deepEqual([await list({ search: 'START' }), await list({ search: 'Sto' })], [[], [1, 2, 3, 4]]);
    assert.deepEqual(await app.ids('getLivestreamActions', { livestreamId, status: 'executed' }), [3]);
    assert.deepEqual(await app.ids('getLivestreamActions', { livestreamId: second }), [4]);
  });
});

describe('a pending planned action', () => {
  it('a pending planned action is changed field by field, and checked as a whole', async () => {
    await add(plan('text', { action: 'show', text: 'Hello', size: 50 }));
    const change = (args: object): Promise<Row> => app.data('updatePlannedAction', { actionId: 1, ...args });
    app.clock.advance(1000);
    const moved = await change({ execute_at: inSeconds(10) });
    assert.deepEqual([moved['execute_at'], moved['updated_at']], [inSeconds(10), inSeconds(0)]);
    const hidden = await change({ payload: { action: 'hide' } });
    assert.deepEqual(hidden['payload'], { action: 'hide' }, 'as a whole');
    const fields = async (args: object): Promise<string[]> =>
      fieldsOf(await app.refused('invalid_input', 'updatePlannedAction', { actionId: 1, ...args }));
    assert.deepEqual(await fields({ type: 'stop' }), ['payload.action'], 'the payload is one of another type');
    assert.deepEqual(await fields({ execute_at: inSeconds(0) }), ['execute_at']);
    assert.deepEqual(await fields({ status: 'executed' }), ['status']);
    assert.equal((await change({ type: 'stop', payload: {} }))['type'], 'stop');
    await app.refused('version_mismatch', 'updatePlannedAction', { actionId: 1, payload: {} }, { ifMatch: '"1"' });
  });

  it('only a pending planned action is changed or disabled', async () => {
    await add(stop());
    for (const status of ['disabled', 'executed', 'failed', 'cancelled'] as const) {
      await setStatus(1, status);
      for (const operation of ['updatePlannedAction', 'disablePlannedAction']) {
        const error = await app.refused('wrong_state', operation, { actionId: 1 });
        assert.deepEqual(error.extras.facts, { state: status, allowed: ['pending'] });
      }
      if (status === 'disabled') continue;
      const error = await app.refused('wrong_state', 'enablePlannedAction', { actionId: 1 });
      assert.deepEqual(error.extras.facts, { state: status, allowed: ['disabled'] });
    }
  });

  it('a pending planned action is left alone from its time on: it is being carried out', async () => {
    await add(stop(10));
    app.clock.advance(10_000);
    for (const operation of ['updatePlannedAction', 'disablePlannedAction', 'deletePlannedAction']) {
      const error = await app.refused('conflict', operation, { actionId: 1 });
      assert.equal(error.extras.retryAfterSeconds, 1);
    }
  });
});

it('what a pending planned start names is in use', async () => {
  const { id: accountId } = await app.data('addCloudAccount', { client: 'Far', client_id: '1', password: 'canary' });
  const { id: groupId } = await app.data('createDeviceGroup', { name: 'Pool', devices: [app.deviceId] });
  const credentials = app.network.stand('10.0.0.2:8092', new FakeDevice());
  const { id: deviceId } = await app.data('addDevice', { name: 'Remote', ...credentials });
  const startConfig = [{ publishingId: ids.publishingId, qualities: [ids.encodingId] }];
  const named: [object, string, object][] = [
    [{ cloudAccountId: accountId }, 'deleteCloudAccount', { accountId }],
    [{ idEncoderGroup: groupId }, 'deleteDeviceGroup', { groupId }],
    [{ deviceId }, 'deleteDevice', { deviceId }],
    [{ startConfig }, 'deleteEncoding', { encodingId: ids.encodingId }],
  ];
  for (const [payload] of named) await add(plan('start', payload));
  const { id: encodingId } = await app.data('addEncoding', { name: 'Other' });
  await app.data('updateLivestream', { livestreamId, encodingId });
  for (const [index, [, operation, args]] of named.entries()) {
    const users = (await app.refused('in_use', operation, args)).extras.facts?.['users'];
    assert.deepEqual(users, [{ resource: 'Planned action', id: index + 1, name: 'start of Show' }], operation);
    await app.data('disablePlannedAction', { actionId: index + 1 });
    await app.data(operation, args);
    const error = await app.refused('rule_violated', 'enablePlannedAction', { actionId: index + 1 });
    assert.match(fieldsOf(error).join(), /^payload\./u, 'what it names is gone');
    assert.equal((await app.data('getPlannedAction', { actionId: index + 1 }))['status'], 'disabled');
  }
});

it('the audit names the planned action, not its Live stream', async () => {
  for (const seconds of [10, 20]) await add(stop(seconds));
  await app.refused('invalid_input', 'addLivestreamAction', stop(-1));
  await app.data('disablePlannedAction', { actionId: 2 });
  const entries = await app.rows('getAuditLog', { resource: 'Planned actions' });
  assert.deepEqual(
    entries.map(({ operation, resource_id, outcome }) => [operation, resource_id, outcome]),
    [
      ['disablePlannedAction', 2, 'ok'],
      ['addLivestreamAction', null, 'invalid_input'],
      ['addLivestreamAction', 2, 'ok'],
      ['addLivestreamAction', 1, 'ok'],
    ],
  );
});

it('what a pending planned live change names is in use', async () => {
  for (const filename of ['bug.png', 'ear.png'])
    await app.data('uploadAsset', { fileType: 'logos', filename, content_base64: PNG_BASE64 });
  const { id: channelId } = await addCamera(app, 'second');
  const { id: publishingId } = await app.data('addPublishing', { name: 'Other', type: 'HLS / TS' });
  const { id: publishingGroupId } = await app.data('addPublishingGroup', { name: 'All', elements: [publishingId] });
  await app.data('updateLivestream', { livestreamId, publishingGroupId });
  const named: [string, object, string, object][] = [
    ['logo', { logo: { filename: 'bug.png' } }, 'deleteAsset', { fileType: 'logos', filename: 'bug.png' }],
    [
      'options',
      { logo: { filename: 'ear.png', position: 'Top' } },
      'deleteAsset',
      { fileType: 'logos', filename: 'ear.png' },
    ],
    ['sourceSwitch', { channelId }, 'deleteChannel', { channelId }],
    ['publishings', { publishings: [{ publishingId, primary: true }] }, 'deletePublishing', { publishingId }],
  ];
  for (const [type, payload] of named) await add(plan(type, payload));
  await app.data('updatePublishingGroup', { groupId: publishingGroupId, elements: [ids.publishingId] });
  for (const [index, [type, , operation, args]] of named.entries()) {
    assert.match((await app.refused('in_use', operation, args)).message, new RegExp(`"${type} of Show"`, 'u'));
    await app.data('disablePlannedAction', { actionId: index + 1 });
    await app.data(operation, args);
  }
});

it('a planned action of any status can be deleted', async () => {
  for (const status of ['pending', 'disabled', 'executed', 'failed', 'cancelled']) {
    const { id } = await add(stop());
    await setStatus(id, status);
    assert.deepEqual(await app.data('deletePlannedAction', { actionId: id }), { id, deleted: true });
    await app.refused('not_found', 'getPlannedAction', { actionId: id });
  }
});

it('planned actions that have been over for a year are removed, a few with each new one', async () => {
  await add(stop(1));
  await setStatus(1, 'executed');
  app.clock.advance(366 * 86_400_000);
  await add(stop());
  assert.deepEqual(await app.ids('getAllPlannedActions'), [2]);
});

describe('a Live stream that is deleted', () => {
  it('deleting a Live stream cancels its planned actions, in the same commit', async () => {
    for (const seconds of [10, 20, 30]) await add(stop(seconds));
    await setStatus(2, 'disabled');
    await setStatus(3, 'executed');
    const commits: number[] = [];
    const end = app.store.onChange((changes) =>
      commits.push(changes.filter((one) => one.collection === 'plannedActions').length),
    );
    await app.data('deleteLivestream', { livestreamId });
    end();
    assert.deepEqual(commits, [2], 'one commit');
    const rows = await app.rows('getAllPlannedActions', { livestreamId });
    assert.deepEqual(
      rows.map(({ status, error }) => [status, error]),
      [
        ['cancelled', `Live stream ${livestreamId} "Show" was deleted.`],
        ['cancelled', `Live stream ${livestreamId} "Show" was deleted.`],
        ['executed', null],
      ],
    );
  });
});
