import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { addBroadcast } from '../app/broadcast.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { PUBLISHING_TYPES } from '../../domain/types/destination-types.ts';

const URLS: Record<string, string> = {
  RTMP: 'rtmp://live.example.org/app/canary-key',
  'Enhanced RTMP': 'rtmps://live.example.org/app',
  SRT: 'srt://live.example.org:9000?passphrase=canary-pass',
  STREAM: 'udp://239.1.1.1:5000',
};
const KEY = { stream_key: 'canary-stream-key' };
const LOGIN = { username: 'someone', password: 'canary-password' };
/** Every secret that each type takes. */
const SECRETS: Record<string, object> = {
  RTMP: { ...KEY, ...LOGIN },
  'Enhanced RTMP': { ...KEY, ...LOGIN },
  SRT: { ...KEY, srt: { passphrase: 'canary-passphrase', encryption: 128 } },
  'HLS / TS': { ...LOGIN, url: 'https://canary:canary-pw@origin.example.org/live' },
  DASH: LOGIN,
  CMAF: LOGIN,
};

describe('Publishings', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  for (const type of PUBLISHING_TYPES) {
    it(`addPublishing creates and shows a Publishing of type ${type} without its secrets`, async () => {
      const settings = { ...SECRETS[type], ...(URLS[type] !== undefined && { url: URLS[type] }) };
      const added = await app.call('addPublishing', { name: type, type, settings });
      assert.equal(added.status, 201);
      const shown = await app.call('getPublishingById', { publishingId: 1 });
      assert.deepEqual(shown.body, added.body);
      const listed = await app.call('getAllPublishings');
      for (const { body } of [added, shown, listed])
        assert.ok(!JSON.stringify(body).includes('canary'), JSON.stringify(body));
      const { data } = shown.body as { data: { settings: Record<string, unknown> } };
      const isKeyed = ['RTMP', 'Enhanced RTMP', 'SRT'].includes(type);
      const hasLogin = ['HLS / TS', 'DASH', 'CMAF', 'RTMP', 'Enhanced RTMP'].includes(type);
      assert.deepEqual(
        [data.settings['stream_key'], data.settings['has_password'], data.settings['segment_duration']],
        [isKeyed ? '****-key' : null, hasLogin, 6],
      );
    });
  }

  it('addPublishing refuses a missing or unfit URL', async () => {
    for (const type of Object.keys(URLS)) {
      assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'addPublishing', { name: 'x', type })), [
        'settings.url',
      ]);
    }
    await app.refused('invalid_input', 'addPublishing', { name: 'x', type: 'RTMP', settings: { url: 'http://h/a' } });
    await app.refused('invalid_input', 'addPublishing', {
      name: 'x',
      type: 'Record',
      settings: { url: 'http://h/a' },
    });
    await app.refused('invalid_input', 'addPublishing', { name: 'x', type: 'HLS' });
  });

  it('a Publishing refuses cenc with Fairplay, a missing DRM provider or Remote Folder, and a shortest delay above the longest', async () => {
    const drm = { provider_id: 1, contentid: 'c', systems: ['Fairplay'], encryption_mode: 'cenc' };
    const error = await app.refused('rule_violated', 'addPublishing', { name: 'x', type: 'CMAF', drm });
    assert.deepEqual(fieldsOf(error), ['drm.encryption_mode', 'drm.provider_id']);
    assert.match(error.message, /cbcs/u);
    const off = { ...drm, encryption_mode: null, active: false, rotation_minutes: 60 };
    const unused = await app.refused('rule_violated', 'addPublishing', { name: 'x', type: 'CMAF', drm: off });
    assert.deepEqual(fieldsOf(unused), ['drm.rotation_minutes', 'drm.provider_id']);
    await app.refused('rule_violated', 'addPublishing', { name: 'x', type: 'Record', settings: { remotefolder: 3 } });
    await app.refused('rule_violated', 'addPublishing', {
      name: 'x',
      type: 'DASH',
      retry: { initial_delay_ms: 5000, max_delay_ms: 1000 },
    });
  });

  it('updatePublishing takes masked secrets back as no change, and clears with null', async () => {
    const added = await app.data('addPublishing', {
      name: 'x',
      type: 'RTMP',
      settings: { ...SECRETS['RTMP'], url: URLS['RTMP'] },
    });
    const { has_password: _answered, srt: _masked, ...echo } = added['settings'] as Record<string, unknown>;
    const change = { publishingId: 1, description: 'new', settings: echo };
    assert.equal((await app.data('updatePublishing', change))['description'], 'new');
    const stored = (await app.store.get('publishings', 1))?.row.settings;
    assert.deepEqual([stored?.stream_key, stored?.url], ['canary-stream-key', URLS['RTMP']]);
    await app.data('updatePublishing', { publishingId: 1, settings: { stream_key: null } });
    assert.equal((await app.store.get('publishings', 1))?.row.settings.stream_key, null);
  });

  it('getAllPublishings filters by type', async () => {
    await app.data('addPublishing', { name: 'a', type: 'DASH' });
    await app.data('addPublishing', { name: 'b', type: 'CMAF' });
    assert.deepEqual(await app.ids('getAllPublishings', { type: 'CMAF' }), [2]);
  });

  describe('groups', () => {
    it('a Publishing group holds existing Publishings, each once', async () => {
      const { id } = await app.data('addPublishing', { name: 'a', type: 'DASH' });
      const error = await app.refused('rule_violated', 'addPublishingGroup', { name: 'g', elements: [id, id, 9] });
      assert.deepEqual(fieldsOf(error), ['elements.1', 'elements.2']);
      const group = await app.data('addPublishingGroup', { name: 'g', elements: [id] });
      assert.deepEqual((await app.rows('getAllPublishingGroups'))[0]?.['elements'], [id]);
      await app.refused('in_use', 'deletePublishing', { publishingId: id });
      assert.deepEqual((await app.data('updatePublishingGroup', { groupId: group.id, elements: [] }))['elements'], []);
      assert.deepEqual(await app.data('deletePublishingGroup', { groupId: group.id }), {
        id: group.id,
        deleted: true,
      });
      await app.call('deletePublishing', { publishingId: id });
    });

    it('a Publishing group is refused when its name is taken, it is bound or absent', async () => {
      const { channelId, encodingId } = await addBroadcast(app);
      const { id: publishingGroupId } = await app.data('addPublishingGroup', { name: 'g' });
      await app.refused('conflict', 'addPublishingGroup', { name: 'g' });
      await app.data('addLivestream', { name: 'l', channelId, encodingId, publishingGroupId });
      const error = await app.refused('in_use', 'deletePublishingGroup', { groupId: publishingGroupId });
      assert.match(error.message, /Live stream 2 "l"/u);
      for (const operation of ['updatePublishingGroup', 'deletePublishingGroup'])
        await app.refused('not_found', operation, { groupId: 9 });
    });
  });
});
