/** listPresets, the template of a Publishing, and the warnings before a start, on the whole application. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

describe('presets and templates', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  const list = async (args: object, options: object = {}) =>
    (await app.call('listPresets', { fields: '*', pageSize: 50, ...args }, options)).body as unknown as {
      rows: Record<string, unknown>[];
      pagination: { total: number };
    };

  it('listPresets answers ladders with their Encodings, and templates with address, demands, limits, date and source', async () => {
    const { rows } = await list({}, { user: 'operator' });
    const ladder = rows.find(({ id }) => id === '1080p50')!;
    assert.deepEqual(Object.keys(ladder).sort(), ['encodings', 'id', 'kind', 'name']);
    assert.equal((ladder['encodings'] as { settings_video: { fps: number } }[])[0]!.settings_video.fps, 50);
    const template = rows.find(({ id }) => id === 'twitch')!;
    const keys = ['as_of', 'demands', 'id', 'kind', 'limits', 'name', 'source', 'type', 'url'];
    assert.deepEqual(Object.keys(template).sort(), keys);
    assert.deepEqual(
      rows.filter(({ kind }) => kind === 'template').map(({ id }) => id),
      ['youtube', 'twitch', 'facebook', 'linkedin', 'vimeo', 'tiktok', 'kick', 'x', 'rtmp', 'srt', 'hls'],
    );
  });

  it('listPresets filters by kind and by words of the name, sorts and pages', async () => {
    assert.ok((await list({ kind: 'ladder' })).rows.every(({ kind }) => kind === 'ladder'));
    assert.deepEqual(
      (await list({ search: 'TWI' })).rows.map(({ id }) => id),
      ['twitch'],
    );
    const { rows, pagination } = await list({ kind: 'template', sort: '-id', pageSize: 2, page: 2 });
    assert.deepEqual([rows.map(({ id }) => id), pagination.total], [['vimeo', 'twitch'], 11]);
    await app.refused('invalid_input', 'listPresets', { sort: 'url' });
    await app.refused('invalid_input', 'listPresets', { kind: 'logo' });
  });

  it('a Publishing keeps its template until it is cleared; one that there is not is refused by name', async () => {
    const fields = { name: 'Out', type: 'RTMP', settings: { url: 'rtmp://127.0.0.1/app', stream_key: 'k' } };
    assert.equal((await app.data('addPublishing', { ...fields, name: 'Plain' }))['template'], null);
    const { id } = await app.data('addPublishing', { ...fields, template: 'twitch' });
    const read = async () => (await app.data('getPublishingById', { publishingId: id }))['template'];
    assert.equal(await read(), 'twitch');
    await app.data('updatePublishing', { publishingId: id, description: 'x' });
    assert.equal(await read(), 'twitch');
    await app.data('updatePublishing', { publishingId: id, template: null });
    assert.equal(await read(), null);
    const error = await app.refused('invalid_input', 'updatePublishing', { publishingId: id, template: 'twich' });
    assert.deepEqual(fieldsOf(error), ['template']);
    assert.match(error.message, /twitch/u);
  });

  it('what breaks a demand is a warning in the start configuration and in a start, and refuses neither', async () => {
    const { id: channelId } = await app.data('addChannel', {
      name: 'In',
      type: 'Stream',
      settings: { url: 'http://127.0.0.1:9/a.m3u8' },
    });
    const { id: encodingId } = await app.data('addEncoding', {
      name: '720p',
      settings_video: { height: 360, bitrate: 800, h264: { keyframe_interval: 5 } },
    });
    const settings = { url: 'rtmp://127.0.0.1/app', stream_key: 'k' };
    const out = { name: 'Out', type: 'RTMP', settings, template: 'twitch' };
    const { id: publishingId } = await app.data('addPublishing', out);
    const bound = { channelId, encodingId, publishingId };
    const { id: livestreamId } = await app.data('addLivestream', { name: 'Show', ...bound });
    const codesOf = (data: unknown) =>
      (data as { warnings: { code: string; publishingId: number }[] }).warnings.map((each) => [
        each.code,
        each.publishingId,
      ]);
    const expected = [['keyframe_distance', publishingId]];
    const config = await app.data('getLivestreamStartConfig', { livestreamId });
    assert.deepEqual([codesOf(config), config['startAllowed']], [expected, true]);
    const dry = (await app.call('start_livestream', { livestream: 'Show', dry_run: true })).body as unknown as {
      message: string;
    };
    assert.deepEqual(codesOf(dry), expected);
    assert.match(dry.message, /Twitch asks for a keyframe every 2 s/u);
    const started = await app.call('start_livestream', { livestream: 'Show', wait_seconds: 0 });
    assert.deepEqual([codesOf(started.body), started.status], [expected, 202]);
    await app.data('stopLivestream', { livestreamId });
    await app.data('updatePublishing', { publishingId, template: null });
    assert.deepEqual(codesOf(await app.data('getLivestreamStartConfig', { livestreamId })), []);
  });
});
