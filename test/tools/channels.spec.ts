import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { addBroadcast } from '../app/broadcast.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { CHANNEL_TYPES } from '../../domain/types/channel-types.ts';

const STREAM = {
  name: 'Camera',
  type: 'Stream',
  settings: { url: 'https://user:s3cret@cdn.example.org/live.m3u8?token=abc123' },
};

describe('Channels', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  /** Settings that make each type valid here. */
  const settings: Record<string, object> = {
    SDI: { deviceId: 1, input: 0 },
    'AES/EBU': { deviceId: 1, input: 1 },
    Stream: { url: 'udp://239.0.0.1:1234' },
    'RTMP-Push': { app: 'live', stream_key: 'canary-stream-key' },
    SRT: { host: '10.0.0.1', port: 9000, passphrase: 'canary-passphrase', encryption: 128 },
    NDI: { source_name: 'HOST (cam 1)' },
    'VideoSite Live': { video_id: 'abcdefghijk' },
  };
  for (const [type, given] of Object.entries(settings)) {
    it(`addChannel creates and getChannelById shows a Channel of type ${type}`, async () => {
      const added = await app.call('addChannel', { name: type, type, settings: given });
      assert.equal(added.status, 201);
      assert.equal(added.etag, '"1"');
      const { id } = (added.body as { data: { id: number } }).data;
      const shown = await app.call('getChannelById', { channelId: id });
      // The Device begins to listen between the two answers.
      const withoutIngest = ({ body }: { body: unknown }): object => ({
        ...(body as { data: object }).data,
        ingest: null,
      });
      assert.deepEqual(withoutIngest(shown), withoutIngest(added));
      assert.ok(!JSON.stringify(shown.body).includes('canary'), 'secrets are masked');
    });
  }

  it('a Channel refuses settings that do not fit its type, naming each', async () => {
    for (const type of CHANNEL_TYPES.filter((name) => name !== 'NDI')) {
      await app.refused('invalid_input', 'addChannel', { name: 'x', type, settings: {} });
    }
    const error = await app.refused('invalid_input', 'addChannel', {
      name: 'x',
      type: 'SRT',
      settings: { url: 'srt://h', encryption: 128 },
    });
    assert.deepEqual(fieldsOf(error).sort(), ['settings.host', 'settings.passphrase', 'settings.port', 'settings.url']);
    const scheme = await app.refused('invalid_input', 'addChannel', {
      ...STREAM,
      settings: { url: 'file:///etc/passwd' },
    });
    assert.deepEqual(fieldsOf(scheme), ['settings.url']);
  });

  it('a Channel refuses references to what does not exist', async () => {
    const file = await app.refused('rule_violated', 'addChannel', {
      name: 'x',
      type: 'File',
      settings: { filename: 'late.mp4' },
    });
    assert.match(file.message, /late\.mp4.*uploadAsset/u);
    const sdi = await app.refused('rule_violated', 'addChannel', {
      name: 'x',
      type: 'SDI',
      settings: { deviceId: 77, input: 0 },
    });
    assert.match(sdi.message, /settings\.deviceId.*77/u);
    await app.refused('rule_violated', 'addChannel', {
      name: 'x',
      type: 'SRT Cloud',
      settings: { cloudAccountId: 1 },
    });
  });

  it('a Channel masks credentials in a URL, and takes the masked URL back as no change', async () => {
    const { id, settings: shown } = await app.data('addChannel', STREAM);
    assert.deepEqual(shown, { url: 'https://****@cdn.example.org/live.m3u8?token=****' });
    await app.data('updateChannel', { channelId: id, alias: 'cam', settings: shown });
    assert.deepEqual((await app.store.get('channels', id))?.row.settings, STREAM.settings);
  });

  it('updateChannel changes only what is sent; null clears', async () => {
    const { id } = await app.data('addChannel', { ...STREAM, alias: 'A', description: 'text' });
    const changed = await app.data('updateChannel', { channelId: id, alias: null });
    assert.equal(changed['alias'], null);
    assert.equal(changed['description'], 'text');
    await app.refused('invalid_input', 'updateChannel', { channelId: id, name: null });
  });

  it('a Channel that changes its type keeps of the settings what the other type knows too', async () => {
    const { id } = await app.data('addChannel', {
      name: 'x',
      type: 'RTMP-Push',
      settings: { app: 'live', stream_key: 'key', port: 9000 },
    });
    const changed = await app.data('updateChannel', {
      channelId: id,
      type: 'SRT',
      settings: { host: '10.0.0.1', port: 9000 },
    });
    assert.deepEqual(changed['settings'], {
      host: '10.0.0.1',
      port: 9000,
      mode: 'caller',
      latency_ms: 200,
      encryption: 0,
      has_passphrase: false,
    });
    await app.refused('invalid_input', 'updateChannel', {
      channelId: id,
      type: 'NDI',
      settings: { host: '10.0.0.2' },
    });
  });

  it('deleteChannel refuses to delete a bound Channel and names the Live stream', async () => {
    const { channelId, livestreamId } = await addBroadcast(app);
    const error = await app.refused('in_use', 'deleteChannel', { channelId });
    assert.deepEqual(error.extras.facts?.['users'], [{ resource: 'Live stream', id: livestreamId, name: 'Show' }]);
    await app.call('deleteLivestream', { livestreamId });
    assert.deepEqual(await app.data('deleteChannel', { channelId }), { id: channelId, deleted: true });
  });

  it('updateChannel clears with null what has no default, and refuses a mask that was edited', async () => {
    const { id: channelId } = await app.data('addChannel', {
      ...STREAM,
      settings: { ...STREAM.settings, program: 2 },
    });
    const cleared = await app.data('updateChannel', { channelId, settings: { program: null } });
    assert.ok(!('program' in (cleared['settings'] as object)));
    const { url } = cleared['settings'] as { url: string };
    await app.data('updateChannel', { channelId, settings: { url } });
    const edited = url.replace('cdn', 'cdn2');
    const error = await app.refused('invalid_input', 'updateChannel', { channelId, settings: { url: edited } });
    assert.deepEqual(fieldsOf(error), ['settings.url']);
  });

  it('Channels are listed with filter, search, sort, pages and projection', async () => {
    for (const name of ['b', 'a', 'c']) await app.data('addChannel', { ...STREAM, name });
    await app.data('addChannel', { name: 'push', type: 'RTMP-Push', settings: { app: 'live', stream_key: 'k' } });
    assert.deepEqual(await app.ids('getAllChannels'), [1, 2, 3, 4]);
    assert.deepEqual(await app.ids('getAllChannels', { sort: '-name' }), [4, 3, 1, 2]);
    assert.deepEqual(await app.ids('getAllChannels', { type: 'RTMP-Push' }), [4]);
    assert.deepEqual(await app.ids('getAllChannels', { search: 'PU' }), [4]);
    const { body } = await app.call('getAllChannels', { page: 2, pageSize: 3, fields: 'name' });
    assert.deepEqual(body, {
      rows: [{ id: 4, name: 'push' }],
      pagination: { page: 2, pageSize: 3, total: 4, totalPages: 2 },
    });
    assert.deepEqual(await app.rows('getAllChannels', { page: 9 }), []);
    await app.refused('invalid_input', 'getAllChannels', { sort: 'settings' });
    await app.refused('invalid_input', 'getAllChannels', { fields: 'token_hash' });
  });

  it('the list of Channels answers a model 20 short rows', async () => {
    for (let index = 1; index <= 21; index += 1) await app.data('addChannel', { ...STREAM, name: `c${index}` });
    const rows = await app.rows('getAllChannels', {}, { via: 'mcp' });
    assert.equal(rows.length, 20);
    assert.deepEqual(Object.keys(rows[0] ?? {}), ['id', 'name', 'description', 'type']);
  });
});
