import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Capabilities } from '../../domain/shapes/devices/device.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

describe('Encodings', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  const add = async (name: string, codec = 'h264'): Promise<number> =>
    (await app.data('addEncoding', { name, settings_video: { codec } })).id;

  it('addEncoding creates an Encoding from a name alone, and getEncodingById shows it', async () => {
    const added = await app.call('addEncoding', { name: '720p' });
    assert.equal(added.status, 201);
    const { data } = added.body as {
      data: { id: number; settings_video: { codec: string; height: number }; pipeline: string };
    };
    assert.deepEqual([data.settings_video.codec, data.settings_video.height, data.pipeline], ['h264', 720, 'h264']);
    assert.deepEqual((await app.call('getEncodingById', { encodingId: data.id })).body, added.body);
  });

  it('addEncoding refuses legacy codecs in a new profile, and one without video and audio', async () => {
    const error = await app.refused('rule_violated', 'addEncoding', {
      name: 'x',
      settings_video: { codec: 'mpgv' },
      settings_audio: { codec: 'aacp' },
    });
    assert.deepEqual(fieldsOf(error), ['settings_video.codec', 'settings_audio.codec']);
    assert.match(error.message, /h264, hevc, av1, vp9, copy/u);
    await app.refused('rule_violated', 'addEncoding', {
      name: 'x',
      settings_video: { active: false },
      settings_audio: { active: false },
    });
    await app.refused('invalid_input', 'addEncoding', { name: 'x', settings_video: { codec: 'divx' } });
  });

  const storeAs = (id: number, video: object, audio: object = {}): Promise<unknown> =>
    app.store.tx((tx) => {
      const row = tx.get('encodings', id)!;
      const { settings_video: picture, settings_audio: sound } = row;
      tx.put('encodings', { ...row, settings_video: { ...picture, ...video }, settings_audio: { ...sound, ...audio } });
    });

  it('updateEncoding keeps a legacy codec that is stored already', async () => {
    const id = await add('old');
    await storeAs(id, { codec: 'mp4v' });
    const changed = await app.data('updateEncoding', { encodingId: id, settings_video: { bitrate: 900 } });
    assert.equal(changed['pipeline'], 'mp4v');
    await app.refused('rule_violated', 'updateEncoding', { encodingId: id, settings_video: { codec: 'mpgv' } });
  });

  it('a stored Encoding that no encoder takes is shown, not started with its reason, and corrected', async () => {
    const { encodingId, livestreamId } = await addBroadcast(app);
    await storeAs(encodingId, { hdr_mode: 'hdr10' }, { channels: 4 });
    assert.equal((await app.rows('getAllEncodings', { fields: '*' })).length, 1);
    const { startAllowed, reasons } = await app.data('getLivestreamStartConfig', { livestreamId });
    const [reason] = reasons as { code: string; message: string }[];
    assert.deepEqual([startAllowed, reason!.code], [false, 'unsupported']);
    assert.match(reason!.message, /settings_video\.hdr_mode: h264 is made without HDR/u);
    const error = await app.refused('rule_violated', 'updateEncoding', { encodingId, name: 'other' });
    assert.deepEqual(fieldsOf(error), ['settings_video.hdr_mode', 'settings_audio.channels']);
    const fit = { settings_video: { hdr_mode: 'off' }, settings_audio: { channels: 6 } };
    await app.data('updateEncoding', { encodingId, ...fit });
    assert.equal((await app.data('getLivestreamStartConfig', { livestreamId }))['startAllowed'], true);
  });

  it('a kind of hardware that no Device has is refused by name at the start, and what it needs is said', async () => {
    const { encodingId, livestreamId } = await addBroadcast(app);
    await app.data('updateEncoding', { encodingId, settings_video: { encoder: 'nvenc' } });
    const tell = (more: Partial<Capabilities>): Promise<unknown> =>
      app.store.tx((tx) => {
        const device = tx.get('devices', 1)!;
        tx.put('devices', { ...device, capabilities: { ...device.capabilities!, ...more } });
      });
    const start = async (): Promise<{ startAllowed: boolean; reasons: { message: string }[] }> =>
      (await app.data('getLivestreamStartConfig', { livestreamId })) as never;
    await tell({ missing: [{ feature: 'encoder nvenc', needs: 'a card: libcuda.so.1 is not there' }] });
    const { startAllowed, reasons } = await start();
    assert.equal(startAllowed, false);
    assert.match(
      reasons[0]!.message,
      /cannot do encoder nvenc h264: encoder nvenc needs a card: libcuda\.so\.1 is not/u,
    );
    await tell({ hardware_encoders: [{ kind: 'nvenc', codec: 'h264', ten_bit: false }] });
    assert.equal((await start()).startAllowed, true);
    await app.data('updateEncoding', { encodingId, settings_video: { codec: 'hevc', hevc: { profile: 'main10' } } });
    assert.match((await start()).reasons[0]!.message, /cannot do encoder nvenc hevc 10 bit/u);
    await tell({ hardware_encoders: [] });
    await app.data('updateEncoding', { encodingId, settings_video: { encoder: 'auto' } });
    assert.equal((await start()).startAllowed, true, 'auto needs none');
  });

  it('updateEncoding changes nested settings without touching the others', async () => {
    const encodingId = await add('720p');
    await app.data('updateEncoding', { encodingId, settings_video: { h264: { keyframe_interval: 1 } } });
    const { settings_video: video } = (await app.data('getEncodingById', { encodingId })) as unknown as {
      settings_video: { bitrate: number; h264: { keyframe_interval: number; profile: null } };
    };
    assert.deepEqual([video.bitrate, video.h264.keyframe_interval, video.h264.profile], [2500, 1, null]);
  });

  it('deleteEncoding refuses to delete what a group or a Live stream holds', async () => {
    const encodingId = await add('720p');
    const group = await app.data('addEncodingGroup', { name: 'ladder', elements: [encodingId] });
    const error = await app.refused('in_use', 'deleteEncoding', { encodingId });
    assert.deepEqual(error.extras.facts?.['users'], [{ resource: 'Encoding group', id: group.id, name: 'ladder' }]);
    await app.call('deleteEncodingGroup', { groupId: group.id });
    await app.call('deleteEncoding', { encodingId });
    assert.deepEqual(await app.ids('getAllEncodings'), []);
    await app.refused('not_found', 'getEncodingById', { encodingId });
    assert.equal(await add('720p again'), encodingId + 1, 'ids are never reused');
  });

  describe('groups', () => {
    it('an Encoding group derives the pipeline from its first member', async () => {
      const elements = [await add('a', 'hevc'), await add('b', 'hevc')];
      const group = await app.data('addEncodingGroup', { name: 'ladder', elements });
      assert.equal(group['pipeline'], 'hevc');
      assert.equal((await app.data('addEncodingGroup', { name: 'empty' }))['pipeline'], null);
      const rows = await app.rows('getAllEncodingGroups', { search: 'ladder' });
      assert.deepEqual([rows[0]?.['pipeline'], rows[0]?.['elements'], rows.length], ['hevc', elements, 1]);
    });

    it('an Encoding group refuses members that do not exist, are named twice, or are of another pipeline', async () => {
      const [a, b] = [await add('a'), await add('b', 'hevc')];
      const error = await app.refused('rule_violated', 'addEncodingGroup', { name: 'x', elements: [a, 77, a, b] });
      assert.deepEqual(fieldsOf(error), ['elements.1', 'elements.2', 'elements.3']);
      await app.refused('invalid_input', 'addEncodingGroup', { name: 'x', elements: [1, 2, 3, 4, 5, 6, 7] });
      await app.refused('invalid_input', 'addEncodingGroup', { name: 'x', pipeline: 'h264' });
    });

    it('updateEncoding refuses a codec that would split a group, unless the Encoding is alone in it', async () => {
      const [a, b] = [await add('a'), await add('b')];
      const { id: groupId } = await app.data('addEncodingGroup', { name: 'ladder', elements: [a, b] });
      const error = await app.refused('rule_violated', 'updateEncoding', {
        encodingId: a,
        settings_video: { codec: 'hevc' },
      });
      assert.match(error.message, /Encoding group 1 "ladder"/u);
      await app.data('updateEncodingGroup', { groupId, elements: [a] });
      await app.data('updateEncoding', { encodingId: a, settings_video: { codec: 'hevc' } });
      await app.refused('rule_violated', 'updateEncodingGroup', { groupId, elements: [a, b] });
    });

    it('updateEncoding refuses a rate with which one encoder cannot make the group', async () => {
      const [a, b] = [await add('a'), await add('b')];
      for (const encodingId of [a, b]) await app.data('updateEncoding', { encodingId, settings_video: { fps: 50 } });
      await app.data('addEncodingGroup', { name: 'ladder', elements: [a, b] });
      await app.data('updateEncoding', { encodingId: b, settings_video: { fps: 25 } });
      const odd = { encodingId: b, settings_video: { fps: 30 } };
      const error = await app.refused('rule_violated', 'updateEncoding', odd);
      assert.match(
        error.message,
        /Encoding group 1 "ladder": 30 frames a second of Encoding 2 "b" do not divide the 50/u,
      );
    });

    it('deleteEncodingGroup refuses to delete a bound group, and answers 404 for one that is not there', async () => {
      const groupId = (await app.data('addEncodingGroup', { name: 'ladder', elements: [await add('a')] })).id;
      const channel = await app.data('addChannel', { name: 'c', type: 'Stream', settings: { url: 'rtmp://h/a' } });
      const publishing = await app.data('addPublishing', { name: 'p', type: 'DASH' });
      await app.data('addLivestream', {
        name: 'l',
        channelId: channel.id,
        encodingGroupId: groupId,
        publishingId: publishing.id,
      });
      await app.refused('in_use', 'deleteEncodingGroup', { groupId });
      for (const operation of ['updateEncodingGroup', 'deleteEncodingGroup'])
        await app.refused('not_found', operation, { groupId: 9 });
    });
  });
});
