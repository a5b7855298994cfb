import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { LiveMessage } from '../../domain/ports/live-watch.ts';
import type { Ingest, IngestEvent, IngestVideo } from '../../domain/shapes/sources/ingest.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { until } from '../helpers/until.ts';

const KEY = 'a-key-of-the-camera';
const VIDEO: IngestVideo = {
  codec: 'h264',
  width: 1280,
  height: 720,
  fps: 50,
  interlaced: false,
  rotation: 0,
  hdr: null,
};

describe('the ingest of pushed Channels in the control plane', () => {
  let app: TestApp;
  let channelId: number;
  let livestreamId: number;
  beforeEach(async () => {
    app = await startTestApp();
    const settings = { app: 'live', stream_key: KEY };
    ({ id: channelId } = await app.data('addChannel', { name: 'OBS', type: 'RTMP-Push', settings }));
    ({ livestreamId } = await addBroadcast(app));
    await app.data('updateLivestream', { livestreamId, channelId });
    await until('its listener', () => app.device.orders.length === 1);
  });
  afterEach(() => app.close());

  const event = (seq: number, more: Partial<IngestEvent> = {}): IngestEvent => ({
    epoch: 'first',
    seq,
    at: new Date(app.clock.now()).toISOString(),
    channelId,
    kind: 'ingest_connected',
    severity: 'info',
    message: 'An encoder sends.',
    data: { from: '10.0.0.9' },
    ...more,
  });
  const ingestEvents = async (): Promise<{ livestreamId: number | null; kind: string; data: object }[]> =>
    (await app.store.find('events', {})).rows.filter(({ kind }) => kind.startsWith('ingest_'));
  const addOther = async (): Promise<number> => {
    const now = new Date(app.clock.now()).toISOString();
    const { id: _own, ...local } = (await app.store.get('devices', app.deviceId))!.row;
    return app.store.tx(
      (tx) => tx.insert('devices', { ...local, name: 'other', local: false, created_at: now, updated_at: now }).id,
    );
  };
  async function goOnAir(): Promise<string> {
    await app.data('startLivestream', { livestreamId });
    const runId = await until('a run', () => app.device.runIds.at(-1));
    app.device.running(runId);
    await until('on air', async () => (await app.store.get('runs', livestreamId))?.row.status === 2);
    return runId;
  }

  it('a Device gets its listeners whole at each change, and again when it is back', async () => {
    const settings = { app: 'live', stream_key: 'another-key-of-a-camera' };
    const { id } = await app.data('addChannel', { name: 'two', type: 'RTMP-Push', settings });
    await until('two', () => app.device.orders.length === 2);
    await app.data('deleteChannel', { channelId: id });
    await until('one', () => app.device.orders.length === 1);
    app.device.goOffline();
    app.device.orders = [];
    app.device.goOnline();
    await until('again', () => app.device.orders[0]?.settings.stream_key === KEY);
  });

  it('a Device of an earlier version gets no listener of RTMPS, and the Channel says so until the Device is newer', async () => {
    const turnInto = (secureHost?: string): void => {
      app.device.goOffline();
      app.device.orders = [];
      app.device.unable = secureHost === undefined ? null : [];
      app.device.ingest = {
        host: '127.0.0.1',
        publicHost: 'studio.example',
        url: null,
        ...(secureHost && { secureHost }),
      };
      app.device.goOnline();
    };
    turnInto();
    await until('its listener', () => app.device.orders.length === 1);
    const settings = { app: 'live', stream_key: 'another-key-of-a-camera', tls: true };
    const { id } = await app.data('addChannel', { name: 'secure', type: 'RTMP-Push', settings });
    const shown = async (): Promise<Ingest> => (await app.data('getChannelById', { channelId: id })).ingest as Ingest;
    await until('the reason', async () => (await shown()).state === 'failed');
    assert.match((await shown()).error!, /earlier version, which takes no RTMPS; update it/u);
    assert.deepEqual(
      app.device.orders.map((order) => order.channelId),
      [channelId],
    );
    await app.data('updateLivestream', { livestreamId, channelId: id });
    const refused = await app.refused('unsupported_by_device', 'startLivestream', { livestreamId });
    assert.match(refused.message, /has an agent of an earlier version, which cannot do rtmps: update it/u);
    turnInto('tv.example');
    await until('both', () => app.device.orders.length === 2);
    assert.equal((await shown()).url, 'rtmps://tv.example:1936/live/****mera');
    await app.data('startLivestream', { livestreamId });
  });

  it('an event is stored once for each Live stream that uses the Channel, whatever is sent again', async () => {
    for (const seq of [1, 2, 1, 2]) app.device.emitIngest(event(seq));
    app.device.emitIngest(event(1, { epoch: 'second', kind: 'ingest_ended' }));
    app.device.goOffline();
    app.device.goOnline();
    app.device.emitIngest(event(2, { epoch: 'second' }));
    await until('the last one', async () => (await ingestEvents()).length >= 4);
    const stored = await ingestEvents();
    assert.deepEqual(
      stored.map(({ livestreamId: of }) => of),
      Array(4).fill(livestreamId),
    );
    assert.deepEqual(stored[0]?.data, { from: '10.0.0.9', channelId });
  });

  it('an event of a Channel that nothing uses has no Live stream', async () => {
    const settings = { app: 'free', stream_key: KEY };
    const { id } = await app.data('addChannel', { name: 'free', type: 'RTMP-Push', settings });
    app.device.emitIngest(event(1, { channelId: id, kind: 'ingest_refused', severity: 'warning' }));
    await until('it', async () => (await ingestEvents()).length === 1);
    const [stored] = await ingestEvents();
    assert.deepEqual([stored?.livestreamId, stored?.data], [null, { from: '10.0.0.9', channelId: id }]);
  });

  it('who watches hears that the Channel has changed, once a second at most and not of rates', async () => {
    const changed: (readonly number[] | null | undefined)[] = [];
    const watch = await app.control.watch((message: LiveMessage) => {
      if (message.type === 'changed' && message.rows.has('channels')) changed.push(message.rows.get('channels'));
    });
    app.device.ingestTurns(channelId, { state: 'receiving', video: VIDEO });
    app.device.ingestTurns(channelId, { state: 'waiting' });
    app.device.ingestTurns(channelId, { bitrate_kbps: 4000 });
    app.clock.advance(1100);
    await until('told', () => changed.length > 0);
    app.device.ingestTurns(channelId, { bitrate_kbps: 5000 });
    app.clock.advance(2100);
    watch.end();
    assert.deepEqual(changed, [[channelId]]);
  });

  it('a run gets the form in which its source was last received', async () => {
    app.device.ingestTurns(channelId, { state: 'receiving', video: { ...VIDEO, rotation: 90 } });
    await until('known', async () => (await app.store.get('knownFormats', channelId)) !== undefined);
    app.device.ingestTurns(channelId, { state: 'waiting', video: null });
    await app.data('updateLivestream', { livestreamId, startWithoutSource: 'fallback' });
    const { source, startWithoutSource } = app.device.spec(await goOnAir());
    assert.deepEqual(source.lastFormat, { fps: 50, width: 720, height: 1280 });
    assert.equal(startWithoutSource, 'fallback');
  });

  it('the status has the ingest of the source', async () => {
    await goOnAir();
    const { source } = (await app.data('getLivestreamStatus', { livestreamId })) as never as {
      source: { ingest: { state: string; url: string } };
    };
    assert.deepEqual([source.ingest.state, source.ingest.url], ['waiting', 'rtmp://127.0.0.1/live/****mera']);
  });

  it('a start that fails names the masked address and the state of its ingest', async () => {
    await app.data('startLivestream', { livestreamId });
    app.device.failed(await until('a run', () => app.device.runIds.at(-1)), 'The source gave no media.');
    await until('failed', async () => (await app.store.get('runs', livestreamId))?.row.status === 3);
    const { errorstatus } = (await app.store.get('runs', livestreamId))!.row;
    assert.equal(
      errorstatus,
      'The source gave no media. The ingest rtmp://127.0.0.1/live/****mera is waiting: no encoder sends.',
    );
  });

  it('what a broadcast on air takes in can be neither disabled nor moved, and off air it can', async () => {
    await goOnAir();
    const changes = [
      { enabled: false },
      { settings: { port: 2000 } },
      { settings: { app: 'other' } },
      { deviceId: await addOther() },
      { type: 'Stream', settings: { url: 'http://example.org/a.m3u8' } },
    ];
    for (const change of changes) {
      const error = await app.refused('wrong_state', 'updateChannel', { channelId, ...change });
      assert.match(error.message, new RegExp(`Live stream ${livestreamId} "Show"`, 'u'));
    }
    await app.data('updateChannel', { channelId, alias: 'A' });
    await app.data('rotateIngestKey', { channelId });
    await app.data('stopLivestream', { livestreamId });
    await until('stopped', async () => (await app.store.get('runs', livestreamId))?.row.status === 0);
    await app.data('updateChannel', { channelId, enabled: false, settings: { port: 2000 } });
  });

  it('a start goes to the Device that listens; another Device, a group without it are refused', async () => {
    const deviceId = await addOther();
    const now = new Date(app.clock.now()).toISOString();
    const group = { name: 'far', description: null, devices: [deviceId], created_at: now, updated_at: now };
    const { id: idEncoderGroup } = await app.store.tx((tx) => tx.insert('deviceGroups', group as never));
    for (const place of [{ deviceId }, { idEncoderGroup }]) {
      const error = await app.refused('rule_violated', 'startLivestream', { livestreamId, ...place });
      assert.match(error.message, /Channel \d+ "OBS" is pushed to Device 1 "[^"]+", which listens for it/u);
    }
    const { targets } = (await app.call('get_start_targets', { livestream: 'Show' })).body as {
      targets: { kind: string; name: string; available: boolean }[];
    };
    const offered = targets.filter(({ available }) => available).map(({ kind, name }) => [kind, name]);
    assert.deepEqual(offered, [['device', 'studio']]);
    await goOnAir();
  });

  it('a broadcast cannot be switched to a Channel that another Device listens for', async () => {
    const deviceId = await addOther();
    const settings = { app: 'far', stream_key: KEY };
    const { id } = await app.data('addChannel', { name: 'far', type: 'RTMP-Push', deviceId, settings });
    await goOnAir();
    const error = await app.refused('rule_violated', 'runtimeApplySourceSwitch', { livestreamId, channelId: id });
    assert.deepEqual(fieldsOf(error), ['channelId']);
    assert.match(error.message, /is listened for on Device \d+ "[^"]+", not on Device 1 "[^"]+"/u);
  });
});
