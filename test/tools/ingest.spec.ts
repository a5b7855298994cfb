import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Ingest, IngestVideo } from '../../domain/shapes/sources/ingest.ts';
import type { KnownSource } from '../../domain/rules/sources/known-source.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { until } from '../helpers/until.ts';

interface Shown {
  id: number;
  enabled: boolean;
  deviceId: number | null;
  settings: Record<string, unknown>;
  ingest: Ingest | null;
}
const PUSH = { name: 'OBS', type: 'RTMP-Push', settings: { app: 'live' } };
const LISTENER = { name: 'Van', type: 'SRT', settings: { mode: 'listener', port: 9101 } };
const VIDEO: IngestVideo = {
  codec: 'h264',
  width: 1280,
  height: 720,
  fps: 50,
  interlaced: false,
  rotation: 0,
  hdr: null,
};

describe('pushed Channels', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  const data = async <T>(operation: string, args: object): Promise<T> =>
    (await app.data(operation, args)) as unknown as T;
  const add = (body: object): Promise<Shown> => data<Shown>('addChannel', body);
  const shown = (channelId: number): Promise<Shown> => data<Shown>('getChannelById', { channelId });
  const ordered = (channelId: number): Promise<unknown> =>
    until('its listener', () => app.device.orders.some((order) => order.channelId === channelId));
  const state = (channelId: number, wanted: string): Promise<unknown> =>
    until(wanted, async () => (await shown(channelId)).ingest?.state === wanted);

  it('a key that is left out is made, shown whole once, and masked from then on', async () => {
    const made = await add(PUSH);
    const key = String(made.settings['stream_key']);
    assert.match(key, /^[\w-]{24,}$/u);
    assert.equal(made.ingest?.url, `rtmp://127.0.0.1/live/${key}`);
    const again = await shown(made.id);
    assert.ok(!JSON.stringify(again).includes(key), 'it is masked');
    assert.equal(again.ingest?.url, `rtmp://127.0.0.1/live/****${key.slice(-4)}`);
    const own = await add({ ...PUSH, name: 'own', settings: { app: 'live', stream_key: 'my-own-stream-key' } });
    assert.equal(own.settings['stream_key'], '****-key');
  });

  it('the Device of this machine listens at once, and its state is in the Channel, the list, the enriched Live stream', async () => {
    const { id, deviceId, ingest } = await add(PUSH);
    assert.equal(deviceId, app.deviceId);
    assert.equal(ingest?.state, 'off');
    await state(id, 'waiting');
    app.device.ingestTurns(id, { state: 'receiving', from: '10.0.0.9', video: VIDEO });
    await state(id, 'receiving');
    const row = (await app.rows('getAllChannels')).find((each) => each.id === id) as unknown as Shown;
    assert.equal(row.ingest?.from, '10.0.0.9');
    const { livestreamId } = await addBroadcast(app);
    await app.data('updateLivestream', { livestreamId, channelId: id });
    const enriched = await data<{ channel: Shown }>('getLivestreamEnriched', { livestreamId });
    assert.equal(enriched.channel.ingest?.state, 'receiving');
  });

  it('a picture of what comes in is decoded once for all who ask for it at a time', async () => {
    const { id: channelId } = await add(PUSH);
    await ordered(channelId);
    app.device.ingestTurns(channelId, { state: 'receiving', from: '10.0.0.9', video: VIDEO });
    await state(channelId, 'receiving');
    const picture = async (width: number): Promise<string> => {
      const { file } = await app.call('getChannelPreview', { channelId, width });
      assert.ok(file !== undefined && 'content' in file);
      return file.content.toString();
    };
    const pictures = await Promise.all([picture(160), picture(160), picture(640)]);
    assert.deepEqual(pictures.map((each) => each.replace(/\d+$/u, '')).sort(), [
      'jpeg of OBS 160 ',
      'jpeg of OBS 160 ',
      'jpeg of OBS 640 ',
    ]);
    assert.equal(new Set(pictures).size, 2);
    const next = await picture(160);
    assert.equal(pictures.includes(next), false, 'the next is of then');
  });

  it('other types have no ingest, no Device and no senders', async () => {
    const pulled = { name: 'pull', type: 'Stream', settings: { url: 'http://example.org/live.m3u8' } };
    const plain = await add(pulled);
    assert.deepEqual([plain.ingest, plain.deviceId, plain.enabled], [null, null, true]);
    const error = await app.refused('invalid_input', 'addChannel', { ...pulled, name: 'x', deviceId: app.deviceId });
    assert.deepEqual(fieldsOf(error), ['deviceId']);
    const caller = { mode: 'caller', host: '10.0.0.1', port: 9, allowed_senders: ['10.0.0.0/8'] };
    const senders = await app.refused('invalid_input', 'addChannel', { name: 'x', type: 'SRT', settings: caller });
    assert.deepEqual(fieldsOf(senders), ['settings.allowed_senders']);
  });

  it('RTMPS has an address and a port of its own, which an earlier version of a Device is not given', async () => {
    const made = await add({
      ...PUSH,
      name: 'secure',
      settings: { app: 'live', stream_key: 'my-own-stream-key', tls: true },
    });
    assert.equal(made.ingest?.url, 'rtmps://127.0.0.1:1936/live/****-key');
    await state(made.id, 'waiting');
    const plain = { ...PUSH, name: 'plain', settings: { app: 'other', port: 1936 } };
    const error = await app.refused('rule_violated', 'addChannel', plain);
    assert.deepEqual(fieldsOf(error), ['settings.port']);
    assert.match(error.message, /1936 is the port of .*, which takes RTMPS; give this one another port/u);
  });

  it('allowed senders are networks', async () => {
    const allowed_senders = ['10.0.0.0/8', '2001:db8::/32', '192.168.1.7'];
    const { id } = await add({ ...LISTENER, settings: { ...LISTENER.settings, allowed_senders } });
    await ordered(id);
    assert.deepEqual(app.device.orders[0]?.settings.allowed_senders, allowed_senders);
    for (const wrong of ['10.0.0.0/33', 'example.org', '!10.0.0.0/8']) {
      const settings = { app: 'live', allowed_senders: [wrong] };
      await app.refused('invalid_input', 'addChannel', { ...PUSH, settings });
    }
  });

  it('an SRT listener needs no host and may have a streamid', async () => {
    const { id, ingest } = await add({ ...LISTENER, settings: { ...LISTENER.settings, streamid: 'van-number-five' } });
    assert.equal(ingest?.url, 'srt://127.0.0.1:9101?streamid=****five');
    assert.match(String((await shown(id)).ingest?.note), /Device|loopback/u);
    const error = await app.refused('invalid_input', 'addChannel', { name: 'x', type: 'SRT', settings: { port: 9 } });
    assert.deepEqual(fieldsOf(error), ['settings.host']);
  });

  it('a Device has to be named where this machine has none', async () => {
    const bare = await startTestApp({ hasDevice: false });
    const error = await bare.refused('rule_violated', 'addChannel', PUSH);
    assert.deepEqual(fieldsOf(error), ['deviceId']);
    await bare.close();
    await app.refused('rule_violated', 'addChannel', { ...PUSH, deviceId: 77 });
  });

  it('a Channel that is disabled is not listened for and starts nothing', async () => {
    const { id } = await add(PUSH);
    await state(id, 'waiting');
    const off = await data<Shown>('updateChannel', { channelId: id, enabled: false });
    assert.equal(off.ingest?.state, 'off');
    assert.match(String(off.ingest?.note), /disabled/u);
    await until('no listener', () => app.device.orders.length === 0);
    const { livestreamId } = await addBroadcast(app);
    await app.data('updateLivestream', { livestreamId, channelId: id });
    const refused = await app.refused('rule_violated', 'startLivestream', { livestreamId });
    assert.match(refused.message, /Channel \d+ "OBS" is disabled/u);
  });

  it('the check of a start says what the encoder sends, or where to point it', async () => {
    const { id, ingest } = await add(PUSH);
    const key = String(ingest?.url).split('/').at(-1)!;
    await state(id, 'waiting');
    const { livestreamId } = await addBroadcast(app);
    await app.data('updateLivestream', { livestreamId, channelId: id });
    const dryRun = async (): Promise<string> => {
      const { body } = await app.call('start_livestream', { livestream: 'Show', dry_run: true });
      const { message } = body as unknown as { message: string };
      assert.ok(!message.includes(key));
      return message;
    };
    assert.match(await dryRun(), /Nobody pushes .* would fail after 25 s: .* rtmp:\/\/127\.0\.0\.1\/live\/\*{4}/u);
    await app.data('updateLivestream', { livestreamId, startWithoutSource: 'fallback' });
    assert.match(await dryRun(), /Nobody pushes .* viewers would see the fallback/u);
    const message = 'Its video is not read here.';
    const last_refusal = { at: '2026-01-01T00:00:00.000Z', from: '10.0.0.9', reason: 'codec' as const, message };
    app.device.ingestTurns(id, { state: 'refused', last_refusal });
    await state(id, 'refused');
    assert.match(await dryRun(), /Nobody pushes .* The last encoder was refused: Its video is not read here\.$/u);
    const backup = await add({ ...LISTENER, name: 'Van' });
    await state(backup.id, 'waiting');
    await app.data('updateLivestream', { livestreamId, backupChannelId: backup.id });
    assert.match(await dryRun(), /Nobody pushes to the source yet, nor to its backup "Van", so viewers would see/u);
    app.device.ingestTurns(backup.id, { state: 'receiving', from: '10.0.0.9', video: VIDEO });
    await state(backup.id, 'receiving');
    assert.match(await dryRun(), /Nobody pushes to the source yet, so its backup "Van" would go on air: point/u);
    app.device.ingestTurns(id, { state: 'receiving', from: '10.0.0.9', video: VIDEO });
    await state(id, 'receiving');
    assert.match(await dryRun(), /The source sends 1280×720 at 50 fps\.$/u);
    const { source } = await data<{ source: KnownSource }>('getLivestreamStartConfig', { livestreamId });
    assert.deepEqual([source.channelId, source.ingest?.video, source.probe], [id, VIDEO, null]);
  });

  it('a Device that is offline leaves nothing known', async () => {
    const { id } = await add(PUSH);
    await state(id, 'waiting');
    app.device.goOffline();
    const { ingest } = await shown(id);
    assert.equal(ingest?.state, 'off');
    assert.match(String(ingest?.note), /does not answer/u);
    app.device.goOnline();
    await state(id, 'waiting');
  });

  it('revealIngestKey answers the key whole; rotateIngestKey makes another, which the Device gets', async () => {
    const { id, settings } = await add(PUSH);
    const first = await data<Record<string, unknown>>('revealIngestKey', { channelId: id });
    const key = String(settings['stream_key']);
    assert.deepEqual(first, { id, url: `rtmp://127.0.0.1/live/${key}`, backup_urls: [], stream_key: key });
    const next = await data<Record<string, string>>('rotateIngestKey', { channelId: id });
    assert.notEqual(next['stream_key'], key);
    await until('the new key', () => app.device.orders[0]?.settings.stream_key === next['stream_key']);
    const rows = await app.rows('getAuditLog');
    const operations = rows.map(({ operation }) => operation);
    assert.ok(operations.includes('revealIngestKey') && operations.includes('rotateIngestKey'));
    assert.ok(!JSON.stringify(rows).includes(key) && !JSON.stringify(rows).includes(next['stream_key']!));
  });

  it('rotateIngestKey gives an SRT listener another streamid; a Channel that is pulled has no key', async () => {
    const { id } = await add(LISTENER);
    const none = await data<Record<string, unknown>>('revealIngestKey', { channelId: id });
    assert.deepEqual(none, { id, url: 'srt://127.0.0.1:9101', backup_urls: [], stream_key: null });
    const next = await data<Record<string, unknown>>('rotateIngestKey', { channelId: id });
    assert.equal(next['url'], `srt://127.0.0.1:9101?streamid=${String(next['stream_key'])}`);
    const pulled = await add({ name: 'pull', type: 'Stream', settings: { url: 'http://example.org/live.m3u8' } });
    for (const operation of ['revealIngestKey', 'rotateIngestKey'])
      assert.match((await app.refused('rule_violated', operation, { channelId: pulled.id })).message, /no ingest key/u);
  });
});
