/** Start, stop, status, start check, event log and Devices, with control and a Device in memory behind them. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { livestreamResource } from '../../domain/rules/broadcasts/livestream.ts';
import { FAKE_CAPABILITIES } from '../helpers/fake-device.ts';
import { until } from '../helpers/until.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

describe('broadcasts', () => {
  let app: TestApp;
  let bound: Awaited<ReturnType<typeof addBroadcast>>;
  let livestreamId: number;
  beforeEach(async () => {
    app = await startTestApp();
    bound = await addBroadcast(app);
    ({ livestreamId } = bound);
  });
  afterEach(() => app.close());

  const statusIs = (status: number): Promise<unknown> =>
    until(`status ${status}`, async () => (await app.data('getLivestreamById', { livestreamId }))['status'] === status);

  async function goOnAir(): Promise<string> {
    await app.call('startLivestream', { livestreamId });
    const runId = await until('a run at the Device', () => app.device.runIds.at(-1));
    app.device.running(runId);
    await statusIs(2);
    return runId;
  }

  it('startLivestream accepts a start with 202 and status 1; a second one changes nothing', async () => {
    const startConfig = [
      { publishingId: bound.publishingId, primary: true, backup: false, qualities: [bound.encodingId] },
    ];
    const accepted = await app.call('startLivestream', { livestreamId, startConfig }, { user: 'operator' });
    assert.equal(accepted.status, 202);
    const { data } = accepted.body as { data: Record<string, unknown> };
    assert.deepEqual(
      [data['id'], data['status'], data['started_at'], data['startConfig']],
      [livestreamId, 1, '2026-01-01T00:00:00.000Z', startConfig],
    );
    const again = await app.call('startLivestream', { livestreamId });
    assert.equal(again.status, 200);
    assert.deepEqual(again.body, accepted.body);
    assert.equal(accepted.etag, again.etag, 'a start is no change of the configuration');
  });

  it('stopLivestream stops with 200; a stop of a Live stream that is off changes nothing', async () => {
    const idle = await app.call('stopLivestream', { livestreamId });
    assert.equal(idle.status, 200);
    assert.equal((idle.body as { data: { status: number } }).data.status, 0);
    assert.equal(await app.store.get('runs', livestreamId), undefined);
    await goOnAir();
    assert.equal((await app.call('stopLivestream', { livestreamId })).status, 200);
    await statusIs(0);
    await app.data('updateLivestream', { livestreamId, name: 'free again' });
  });

  async function fail(): Promise<void> {
    await app.call('startLivestream', { livestreamId });
    const runId = await until('a run at the Device', () => app.device.runIds.at(-1));
    app.device.failed(runId, 'The encoder refused.');
    await until('nothing is left of it', async () => (await app.store.get('runs', livestreamId))?.row.ended === true);
  }

  it('a Live stream can be edited after a start that failed, which clears the failure', async () => {
    await fail();
    const before = await app.data('getLivestreamById', { livestreamId });
    assert.deepEqual([before['status'], before['errorstatus']], [3, 'The encoder refused.']);
    const edited = await app.data('updateLivestream', { livestreamId, description: 'mended' }, { user: 'operator' });
    assert.deepEqual([edited['status'], edited['errorstatus'], edited['started_at']], [0, null, null]);
    const status = await app.data('getLivestreamStatus', { livestreamId });
    assert.deepEqual(
      [status['status'], status['errorstatus'], status['deviceId'], status['slot']],
      [0, null, null, null],
    );
    const events = await app.rows('getLivestreamEvents', { livestreamId, fields: '*' });
    const output = events.find(({ kind }) => kind === 'runtime_changed');
    assert.equal(output?.['message'], 'operator changed "Show"; its failure is cleared.');
    await goOnAir();
  });

  it('a Live stream keeps its failure through an edit that changes nothing, also one that sends back what is stored', async () => {
    await fail();
    const before = await app.call('getLivestreamById', { livestreamId });
    const stored = (before.body as { data: Record<string, unknown> }).data;
    const fields = Object.keys(livestreamResource.shape);
    const echo = Object.fromEntries(Object.entries(stored).filter(([name]) => fields.includes(name)));
    assert.ok('overlay' in echo && 'channelId' in echo, 'all that can be sent');
    for (const patch of [{}, { name: 'Show' }, echo]) {
      const after = await app.call('updateLivestream', { livestreamId, ...patch });
      assert.equal(after.status, 200);
      assert.deepEqual(after.body, before.body);
      assert.equal(after.etag, before.etag);
    }
    const events = await app.rows('getLivestreamEvents', { livestreamId, fields: '*' });
    assert.equal(events.filter(({ kind }) => kind === 'runtime_changed').length, 0);
    await app.data('updateLivestream', { livestreamId, name: 'Show two' });
    assert.equal((await app.data('getLivestreamById', { livestreamId }))['status'], 0);
  });

  it('events of a Live stream are in the order of their instants, whichever was stored last', async () => {
    await app.store.tx((tx) => {
      for (const second of ['07', '05', '06'])
        tx.insert('events', {
          livestreamId,
          kind: 'failover',
          severity: 'info',
          data: {},
          at: `2026-01-01T00:00:${second}.000Z`,
          message: second,
        });
    });
    const messages = (await app.rows('getLivestreamEvents', { livestreamId })).map(({ message }) => message);
    assert.deepEqual(messages, ['05', '06', '07']);
  });

  it('a Live stream can be deleted after a start that failed', async () => {
    await fail();
    assert.deepEqual(await app.data('deleteLivestream', { livestreamId }), { id: livestreamId, deleted: true });
    assert.equal(await app.store.get('runs', livestreamId), undefined);
  });

  it('a broadcast that failed is ended where a Device comes back without it', async () => {
    await fail();
    await app.store.tx((tx) => {
      const { ended: _, ...run } = tx.get('runs', livestreamId)!;
      tx.put('runs', run);
    });
    await app.refused('wrong_state', 'updateLivestream', { livestreamId, description: 'too early' });
    app.device.goOffline();
    app.device.goOnline();
    await until('it is known', async () => (await app.store.get('runs', livestreamId))?.row.ended === true);
    await app.data('updateLivestream', { livestreamId, description: 'mended' });
  });

  it('HDR is refused by name where a bound Destination cannot carry it, and where no Device makes it', async () => {
    const { publishingId, encodingId } = bound;
    const hdr10 = { encodingId, settings_video: { codec: 'hevc', hdr_mode: 'hdr10' } };
    await app.data('updatePublishing', { publishingId, type: 'SDIOUT', settings: { url: null } });
    const shown = await app.refused('rule_violated', 'updateEncoding', hdr10);
    assert.match(
      shown.message,
      /hdr10 of Encoding \d+ "720p" cannot be carried by .+ of type SDIOUT in .+, which shows all/u,
    );
    await app.data('updatePublishing', { publishingId, type: 'RTMP', settings: { url: 'rtmp://127.0.0.1:9/live' } });
    const pushed = await app.refused('rule_violated', 'updateEncoding', hdr10);
    assert.match(pushed.message, /HEVC of Encoding \d+ "720p" cannot be carried by .+ of type RTMP/u);
    await app.data('updatePublishing', { publishingId, type: 'CMAF', settings: { url: null } });
    await app.data('updateEncoding', hdr10);
    const startAllowed = async (): Promise<unknown> =>
      (await app.data('getLivestreamStartConfig', { livestreamId }))['startAllowed'];
    assert.equal(await startAllowed(), true);
    // A Device of an earlier version says nothing of HDR.
    await app.store.tx((tx) => {
      const { hdr_encoders: _, ...capabilities } = FAKE_CAPABILITIES;
      tx.put('devices', { ...tx.get('devices', 1)!, capabilities });
    });
    const { message } = await app.refused('unsupported_by_device', 'startLivestream', { livestreamId });
    assert.match(message, /Device 1 "studio" cannot do HDR hevc/u);
  });

  it('an Encoding refuses sound that the protocol of a bound Destination cannot carry', async () => {
    const { publishingId, encodingId } = bound;
    const rtmp = { url: 'rtmp://127.0.0.1:9/live' };
    await app.data('updatePublishing', { publishingId, type: 'RTMP', settings: rtmp });
    const opus = { codec: 'opus', sample_rate: 48_000 };
    const sound = await app.refused('rule_violated', 'updateEncoding', { encodingId, settings_audio: opus });
    assert.match(sound.message, /opus of Encoding \d+ "720p" cannot be carried by Publishing \d+ "Web" of type RTMP/u);
  });

  it('startLivestream refuses a start that cannot be, and says why', async () => {
    await app.refused('rule_violated', 'startLivestream', { livestreamId, cloudAccountId: 1 });
    await app.refused('not_found', 'startLivestream', { livestreamId: 99 });
    await app.refused('not_found', 'stopLivestream', { livestreamId: 99 });
    await app.refused('rule_violated', 'startLivestream', { livestreamId, deviceId: 99 });
    await app.refused('rule_violated', 'startLivestream', { livestreamId, startConfig: [{ publishingId: 99 }] });
    await app.refused('invalid_input', 'startLivestream', { livestreamId, startConfig: [{ publishing: 1 }] });
    await app.data('updateLivestream', { livestreamId, enabled: false });
    await app.refused('rule_violated', 'startLivestream', { livestreamId });
    assert.equal(await app.store.get('runs', livestreamId), undefined);
  });

  it('getLivestreamStartConfig says beforehand whether a start would be accepted', async () => {
    const startConfig = [{ publishingId: bound.publishingId, primary: true, backup: false }];
    assert.deepEqual(await app.data('getLivestreamStartConfig', { livestreamId }), {
      idEncoderGroup: null,
      startConfig,
      startAllowed: true,
      reasons: [],
      warnings: [],
      source: { channelId: bound.channelId, ingest: null, probe: null },
    });
    await app.data('updateLivestream', { livestreamId, enabled: false });
    const refused = await app.data('getLivestreamStartConfig', { livestreamId });
    assert.deepEqual(
      [refused['startAllowed'], (refused['reasons'] as { code: string }[]).map(({ code }) => code)],
      [false, ['disabled']],
    );
    assert.equal((await app.store.find('audit', { where: { operation: 'getLivestreamStartConfig' } })).total, 0);
  });

  it('the status of one Live stream and of all can be read', async () => {
    const second = await addBroadcast(app, ' 2');
    await goOnAir();
    app.clock.advance(5000);
    const one = await app.data('getLivestreamStatus', { livestreamId });
    assert.deepEqual(
      [one['status'], one['on_air'], one['uptime_seconds'], one['deviceId'], one['slot']],
      [2, true, 5, app.deviceId, 1],
    );
    const [paths] = one['publishings'] as { primary: { state: string } }[];
    assert.equal(paths?.primary.state, 'up');
    const all = await app.rows('getLivestreamsStatus');
    const { watch: _watch, next: _next, ...shared } = one;
    assert.deepEqual(all[0], shared);
    assert.deepEqual(
      [all[1]?.['livestreamId'], all[1]?.['on_air'], all[1]?.['source']],
      [second.livestreamId, false, null],
    );
    const onAir = await app.rows('getLivestreamsStatus', { status: 2 }, { via: 'mcp' });
    assert.deepEqual(onAir, [
      {
        livestreamId,
        name: 'Show',
        status: 2,
        errorstatus: null,
        since: '2026-01-01T00:00:00.000Z',
        uptime_seconds: 5,
        deviceId: app.deviceId,
        on_air: true,
        conditions: [],
        source_watched: null,
      },
    ]);
  });

  it('the status says why a broadcast failed, and a stop frees it', async () => {
    const runId = await goOnAir();
    app.device.failed(runId, 'The encoder ended unexpectedly.');
    await statusIs(3);
    assert.equal(
      (await app.data('getLivestreamStatus', { livestreamId }))['errorstatus'],
      'The encoder ended unexpectedly.',
    );
    await app.call('stopLivestream', { livestreamId });
    await statusIs(0);
  });

  it('getLivestreamEvents lists the events by kind, severity and time, oldest first', async () => {
    const runId = await goOnAir();
    app.clock.advance(60_000);
    app.device.emit(runId, 'source_lost', 'No frames for 3 s.', 'warning');
    await until('three events', async () => (await app.store.find('events', {})).total === 3);
    const kinds = async (args: object): Promise<unknown[]> =>
      (await app.rows('getLivestreamEvents', { livestreamId, ...args })).map((row) => row['kind']);
    assert.deepEqual(await kinds({}), ['start_requested', 'started', 'source_lost']);
    assert.deepEqual(await kinds({ sort: '-id' }), ['source_lost', 'started', 'start_requested']);
    assert.deepEqual(await kinds({ sort: '-at', pageSize: 1 }), ['source_lost']);
    assert.deepEqual(await kinds({ kind: 'started' }), ['started']);
    assert.deepEqual(await kinds({ severity: 'warning' }), ['source_lost']);
    assert.deepEqual(
      await kinds({ from: '2026-01-01T00:01:00Z' }),
      ['source_lost'],
      'an instant without milliseconds is the same instant',
    );
    assert.deepEqual(await kinds({ from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:01:00Z' }), [
      'start_requested',
      'started',
    ]);
    await app.refused('invalid_input', 'getLivestreamEvents', { livestreamId, kind: 'exploded' });
    await app.refused('invalid_input', 'getLivestreamEvents', { livestreamId, from: 'yesterday' });
    await addBroadcast(app, ' 2');
    assert.deepEqual(await app.rows('getLivestreamEvents', { livestreamId: 2 }), []);
  });

  it('the list of Devices says what they can do and hold', async () => {
    const [idle] = await app.rows('getAllDevices');
    assert.deepEqual([idle?.id, idle?.['alias'], idle?.['online'], idle?.['load']], [app.deviceId, 'studio', true, 0]);
    assert.ok(!('media_url' in (idle ?? {})));
    await goOnAir();
    const [busy] = await app.rows('getDevicesLiveStatus');
    const held = [{ livestreamId, name: 'Show', slot: 1, status: 2, since: '2026-01-01T00:00:00.000Z' }];
    assert.deepEqual([busy?.['deviceId'], busy?.['name'], busy?.['livestreams']], [app.deviceId, 'studio', held]);
    assert.equal((busy?.['slots'] as { used: number }).used, 1);
    for (const operation of ['getAllDevices', 'getDevicesLiveStatus']) {
      assert.equal((await app.rows(operation, { type: 'standalone', enabled: true, search: 'STU' })).length, 1);
      assert.deepEqual(await app.rows(operation, { type: 'relay' }), []);
      assert.equal((await app.rows(operation, {}, { via: 'mcp' })).length, 1);
    }
    app.device.goOffline();
    assert.equal((await app.rows('getDevicesLiveStatus'))[0]?.['online'], false);
  });
});
