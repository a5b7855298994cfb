/** A captured Device beside an honest one: it names what is not its own, and nothing of that counts. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DeviceShares } from '../../control/device-shares.ts';
import type { IngestEvent } from '../../domain/shapes/sources/ingest.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { until } from '../helpers/until.ts';

const fields = (row: object): Record<string, unknown> => row as never;

describe('a captured Device', () => {
  let app: TestApp;
  let captured: FakeDevice;
  let capturedId: number;
  let livestreamId: number;
  let channelId: number;
  let ownChannelId: number;
  let runId: string;

  const ingestEvent = (of: number, seq: number, more: Partial<IngestEvent> = {}): IngestEvent => ({
    epoch: 'e',
    seq,
    at: new Date(app.clock.now()).toISOString(),
    channelId: of,
    kind: 'ingest_connected',
    severity: 'info',
    message: 'admin started "Show".',
    data: {},
    ...more,
  });
  const events = async (): Promise<string[]> =>
    (await app.store.find('events', { where: { livestreamId } })).rows.map(({ kind, message }) => `${kind} ${message}`);
  const ingestOf = async (id: number): Promise<string> =>
    ((await app.data('getChannelById', { channelId: id })) as unknown as { ingest: { state: string } }).ingest.state;
  /** The Device is heard in order: this comes after all that it has said. */
  async function heard(seq: number): Promise<void> {
    captured.emitIngest(ingestEvent(ownChannelId, seq, { message: `mark ${seq}` }));
    await until('the last that it says', async () => {
      const { rows } = await app.store.find('events', {});
      return rows.some(({ message }) => message === `mark ${seq}`);
    });
  }

  before(async () => {
    app = await startTestApp();
    captured = new FakeDevice({ now: () => new Date(app.clock.now()).toISOString() });
    captured.ingest = { host: '0.0.0.0', publicHost: '10.0.0.2', url: 'nonsense' };
    ({ id: capturedId } = await app.data('addDevice', { name: 'far', ...app.network.stand('10.0.0.2', captured) }));
    await until('online', async () => fields(await app.data('getDeviceById', { deviceId: capturedId })).online);
    const push = { type: 'RTMP-Push', settings: { app: 'live', stream_key: 'a-key-of-the-camera' } };
    ({ id: channelId } = await app.data('addChannel', { name: 'near', ...push }));
    ({ livestreamId } = await addBroadcast(app));
    await app.data('updateLivestream', { livestreamId, channelId });
    ({ id: ownChannelId } = await app.data('addChannel', { name: 'far', deviceId: capturedId, ...push }));
    await until('its listener', () => captured.orders.length === 1);
    await app.data('startLivestream', { livestreamId });
    runId = await until('a run', () => app.device.runIds.at(-1));
    app.device.running(runId);
    await until('on air', async () => (await app.store.get('runs', livestreamId))?.row.status === 2);
  });
  after(() => app.close());

  it('an address for encoders that is none breaks no Channel', async () => {
    const { ingest } = (await app.data('getChannelById', { channelId: ownChannelId })) as never as {
      ingest: { url: string };
    };
    assert.match(ingest.url, /^rtmp:\/\/10\.0\.0\.2\/live\//u);
  });

  it("names another Device's run in reports, events and Recordings: status, log and Recordings stay as they are", async () => {
    const before = [await app.data('getLivestreamStatus', { livestreamId }), await events()];
    const report = app.device.report(runId);
    captured.say({ type: 'report', report: { ...report, phase: 'failed', error: 'captured' } });
    captured.say({ type: 'report', report: { ...report, source: { ...report.source, fps: 1 } } });
    captured.say({ type: 'gone', runId });
    const at = new Date(app.clock.now()).toISOString();
    const event = { runId, livestreamId, seq: 99, at, severity: 'error', message: 'captured', data: {} } as const;
    for (const kind of ['source_lost', 'start_requested', 'recording_opened'] as const)
      captured.say({ type: 'event', event: { ...event, kind, data: { publishingId: 1, file: 'x.mp4' } } });
    captured.putRecording({ runId, livestreamId, publishingId: 1 }, { state: 'finished' });
    await heard(1);
    await until('it is asked to end the run', () => captured.calls.some((call) => call.runId === runId));
    const now = [await app.data('getLivestreamStatus', { livestreamId }), await events()];
    assert.deepEqual(now, before);
    assert.deepEqual((await app.store.find('recordings', {})).rows, []);
    assert.equal((await app.store.get('runs', livestreamId))?.row.status, 2);
  });

  it("reports of another Device's Channel, and its events, say nothing of it and reach none of its Live streams", async () => {
    const before = await events();
    const [own] = captured.orders;
    assert.equal(own?.channelId, ownChannelId);
    const receiving = { error: null, from: '10.0.0.9', since: null, bitrate_kbps: 1, audio: [], captions: [] };
    const video = { codec: 'h264', width: 1, height: 1, fps: 1, interlaced: null, rotation: 0, hdr: null };
    captured.reportIngests(
      [channelId, ownChannelId].map((id) => ({
        ...receiving,
        channelId: id,
        state: 'receiving',
        video,
        last_refusal: null,
      })),
    );
    captured.emitIngest(ingestEvent(channelId, 2));
    captured.emitIngest(ingestEvent(channelId, 3, { kind: 'start_requested' as never }));
    await heard(4);
    assert.deepEqual([await ingestOf(channelId), await ingestOf(ownChannelId)], ['waiting', 'receiving']);
    assert.equal(await app.store.get('knownFormats', channelId), undefined);
    assert.deepEqual(await events(), before);
  });

  it('says what no Device says: the Device and an event tell it, once for all that follow', async () => {
    const notices = async (): Promise<string[]> =>
      (await app.rows('getAllEvents', { kind: 'device_not_understood' })).map(({ message }) => String(message));
    const state = async (): Promise<unknown> =>
      (await app.data('getDeviceById', { deviceId: capturedId }))['not_understood'];
    assert.equal(await state(), null);
    const since = new Date(app.clock.now()).toISOString();
    for (const reason of ['It says what no Device says (report.phase).', 'It says more.', 'And more.']) {
      captured.goOffline(reason);
      await until('it is noted', async () => (await state()) !== null);
      captured.goOnline();
      app.clock.advance(40_000);
    }
    await until('the last', async () => ((await state()) as { reason: string }).reason === 'And more.');
    assert.deepEqual(await state(), { reason: 'And more.', since });
    assert.equal((await notices()).length, 1);
    assert.match((await notices())[0]!, /^Device \d+ "far" is not understood, .*report\.phase/u);
    app.clock.advance(121_000);
    assert.equal(await state(), null);
    assert.equal((await app.data('getDeviceById', { deviceId: app.deviceId }))['not_understood'], null);
  });

  it('names a run of another and does not answer: the other one is stopped without waiting for it', async () => {
    captured.calls.length = 0;
    const release = captured.holdStops();
    const report = app.device.report(runId);
    captured.say({ type: 'report', report });
    await until('it is asked to end the run', () => captured.calls.length > 0);
    await app.data('stopLivestream', { livestreamId });
    await until('stopped', async () => (await app.store.get('runs', livestreamId))?.row.status === 0);
    release();
  });
});

it('a Device has a share of what is stored: the rest is dropped and logged once a minute, and others have theirs', () => {
  const clock = new FakeClock();
  const warnings: object[] = [];
  const shares = new DeviceShares(clock, { warn: (facts) => warnings.push(facts) });
  const taken = (place: number, tries: number): number =>
    Array.from({ length: tries }, () => shares.take(place)).filter(Boolean).length;
  assert.equal(taken(1, 6000), 5000);
  assert.equal(taken(2, 100), 100);
  clock.advance(10_000);
  assert.equal(taken(1, 100), 50);
  assert.deepEqual(warnings, [{ deviceId: 1 }]);
  clock.advance(60_000);
  assert.equal(taken(1, 400), 300);
  assert.equal(warnings.length, 2);
});
