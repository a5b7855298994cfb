import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import { makeClip } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { PNG_BASE64, addBroadcast } from '../app/broadcast.ts';
import { type Row, fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { wordsOf } from '../helpers/words.ts';

const OPTIONS = ['scteMarkers', 'crop', 'fallback', 'failover', 'sound', 'detect', 'logo', 'overlay', 'alarms'];
const ALARMS = { silence_seconds: 5, black_seconds: 5, frozen_seconds: 10, lost_seconds: 5 };

describe('updateLivestreamOptions', () => {
  let app: TestApp;
  let livestreamId: number;
  beforeEach(async () => {
    app = await startTestApp();
    ({ livestreamId } = await addBroadcast(app));
    await app.data('uploadAsset', { fileType: 'logos', filename: 'bug.png', content_base64: PNG_BASE64 });
  });
  afterEach(() => app.close());

  const set = (options: object, call: object = {}): Promise<Row> =>
    app.data('updateLivestreamOptions', { livestreamId, ...options }, { user: 'operator', ...call });
  const refused = async (options: object): Promise<string[]> => {
    const error = await app.refused('rule_violated', 'updateLivestreamOptions', { livestreamId, ...options });
    return fieldsOf(error);
  };

  it('updateLivestreamOptions changes only what is sent, and null clears', async () => {
    const logo = { filename: 'bug.png', position: 'Left' };
    const answer = await set({ scteMarkers: true, logo, crop: { left: 10 }, overlay: { text: 'Live' } });
    const overlay = { text: 'Live', position: 'Bottom', size: 36, color: '#ffffff', visible: true };
    const crop = { left: 10, right: 0, top: 0, bottom: 0 };
    const fallback = { mode: 'slate', filename: null };
    const failover = { on: ['loss'], after_seconds: 2, return: 'auto', return_after_seconds: 10 };
    const sound = { gain_db: 0, mute: false, delay_ms: 0 };
    const detect = { silence: { level_db: -60, seconds: 5 }, black: { seconds: 5 }, frozen: { seconds: 10 } };
    const settled = { in_force: 'now', notes: [] };
    const source = { crop, fallback, failover, sound, detect, alarms: ALARMS };
    assert.deepEqual(answer, { livestreamId, scteMarkers: true, ...source, logo, overlay, ...settled });
    assert.deepEqual(await set({ overlay: { size: 50 } }), { ...answer, overlay: { ...overlay, size: 50 } });
    const cleared = { ...answer, logo: null, crop: null, overlay: null };
    assert.deepEqual(await set({ logo: null, crop: null, overlay: null }), cleared);
    const stored = await app.data('getLivestreamById', { livestreamId });
    for (const field of OPTIONS) assert.deepEqual(stored[field], (cleared as Record<string, unknown>)[field], field);
  });

  it('alarms and the seconds of detect are one value, whichever is sent, and 0 is not watched', async () => {
    const watched = async (options: object): Promise<unknown[]> => {
      const { alarms, detect } = await set(options);
      return [alarms, detect];
    };
    const detect = { silence: { level_db: -60, seconds: 5 }, black: { seconds: 5 }, frozen: { seconds: 10 } };
    assert.deepEqual(await watched({ alarms: { black_seconds: 20, silence_seconds: 0, lost_seconds: 30 } }), [
      { ...ALARMS, black_seconds: 20, silence_seconds: 0, lost_seconds: 30 },
      { ...detect, black: { seconds: 20 }, silence: null },
    ]);
    assert.deepEqual(await watched({ detect: { silence: { level_db: -40 }, black: null, frozen: { seconds: 2.5 } } }), [
      { ...ALARMS, black_seconds: 0, frozen_seconds: 3, lost_seconds: 30 },
      { silence: { level_db: -40, seconds: 5 }, black: null, frozen: { seconds: 2.5 } },
    ]);
    const { alarms } = await app.data('getLivestreamById', { livestreamId });
    const echoed = await app.data('updateLivestream', { livestreamId, alarms, description: 'Sent back' });
    assert.deepEqual((echoed['detect'] as { frozen: unknown }).frozen, { seconds: 2.5 });
    const changed = await app.data('updateLivestream', { livestreamId, alarms: { frozen_seconds: 4 } });
    assert.deepEqual((changed['detect'] as { frozen: unknown }).frozen, { seconds: 4 });
    for (const seconds of [-1, 3601, 1.5])
      await app.refused('invalid_input', 'updateLivestreamOptions', {
        livestreamId,
        alarms: { lost_seconds: seconds },
      });
  });

  it('a Live stream of an earlier version has the alarms that it was watched by', async () => {
    await app.store.tx((tx) => {
      const { alarms: _none, ...row } = tx.get('livestreams', livestreamId)!;
      tx.put('livestreams', { ...row, detect: { silence: { level_db: -50, seconds: 20 }, black: null, frozen: null } });
    });
    const alarms = { silence_seconds: 20, black_seconds: 0, frozen_seconds: 0, lost_seconds: 5 };
    assert.deepEqual((await app.data('getLivestreamById', { livestreamId }))['alarms'], alarms);
    assert.deepEqual((await set({ alarms: { lost_seconds: 8 } }))['alarms'], { ...alarms, lost_seconds: 8 });
  });

  it('alarms are in force on air at once: the encoder watches by them, and the status says when a loss is one', async () => {
    const runId = await goOnAir();
    const lostSeconds = async (): Promise<unknown> =>
      (await app.data('getLivestreamStatus', { livestreamId }))['lost_seconds'];
    assert.equal(await lostSeconds(), 5);
    const answer = await set({ alarms: { frozen_seconds: 0, lost_seconds: 60 } });
    assert.deepEqual([answer['in_force'], app.device.changes.length], ['now', 1]);
    assert.deepEqual([app.device.spec(runId).detect?.frozen, await lostSeconds()], [null, 60]);
    await set({ alarms: { lost_seconds: 0 } });
    assert.deepEqual([app.device.changes.length, await lostSeconds()], [1, 0], 'no encoder is asked for it');
    const { inForce } = (await app.store.get('runs', livestreamId))!.row;
    assert.equal(inForce?.alarms?.lost_seconds, 0, 'another server, and this one after a restart, knows it');
  });

  it('updateLivestreamOptions works in any status, and says from when the options count', async () => {
    await app.call('startLivestream', { livestreamId });
    await app.refused('wrong_state', 'updateLivestream', { livestreamId, scteMarkers: true });
    const starting = await set({ scteMarkers: true });
    assert.equal(starting['in_force'], 'next_start');
    assert.match(String(starting['notes']), /has status 1 \(starting\)/u);
    await app.store.tx((tx) => tx.put('runs', { ...tx.get('runs', livestreamId)!, status: 3 }));
    assert.equal((await set({ scteMarkers: false }))['in_force'], 'next_start');
    await app.store.tx((tx) => tx.put('runs', { ...tx.get('runs', livestreamId)!, status: 0, desired: 'off' }));
    assert.deepEqual([(await set({}))['in_force'], (await set({}))['notes']], ['now', []]);
  });

  async function goOnAir(): Promise<string> {
    await app.call('startLivestream', { livestreamId });
    const runId = await until('the run at the Device', () => app.device.runIds.at(-1));
    app.device.running(runId);
    await until('status 2', async () => (await app.store.get('runs', livestreamId))?.row.status === 2);
    return runId;
  }

  it('updateLivestreamOptions reaches the encoder of a broadcast on air, and a start after it', async () => {
    await set({ logo: { filename: 'bug.png', position: 'Left' }, overlay: { text: 'Before' }, crop: { left: 2 } });
    const runId = await goOnAir();
    const { picture, crop } = app.device.spec(runId);
    assert.deepEqual([picture.logo?.filename, picture.text?.text, crop?.left], ['bug.png', 'Before', 2]);
    const answer = await set({ logo: null, overlay: { text: 'Now' }, scteMarkers: true, fallback: { mode: 'none' } });
    assert.deepEqual([answer['in_force'], answer['notes']], ['now', []]);
    const spec = app.device.spec(runId);
    assert.deepEqual([spec.picture.logo, spec.picture.text?.text], [null, 'Now']);
    assert.deepEqual([spec.scteMarkers, spec.fallback, spec.crop?.left], [true, { mode: 'none', path: null }, 2]);
    assert.equal((await set({ overlay: { text: 'Now' } }))['in_force'], 'now');
    assert.equal(app.device.changes.length, 4, 'what is in force already is not asked for again');
    await app.call('setLivestreamText', { livestreamId, action: 'hide' });
    await set({ overlay: { visible: true } });
    assert.equal(app.device.spec(runId).picture.text?.text, 'Now', 'what was hidden for the run is shown again');
  });

  it('updateLivestreamOptions asks the encoder for nothing that viewers would not see, but keeps it for later', async () => {
    const runId = await goOnAir();
    await app.call('setLivestreamText', { livestreamId, action: 'show', text: 'Of the run' });
    await app.call('setLivestreamText', { livestreamId, action: 'hide' });
    const requestsOf = (): string[] => app.device.changes.splice(0).map(({ type }) => type);
    requestsOf();
    await set({ fallback: { mode: 'slate' }, scteMarkers: true, logo: { filename: '' } });
    assert.deepEqual(requestsOf(), ['options'], 'nothing of the picture');
    await set({ overlay: { text: 'Stored', visible: false } });
    assert.deepEqual(requestsOf(), []);
    await app.call('setLivestreamText', { livestreamId, action: 'show' });
    assert.equal(app.device.spec(runId).picture.text?.text, 'Stored');
  });

  it('updateLivestreamOptions keeps what the encoder could not take for the next start, and says which and why', async () => {
    await goOnAir();
    app.device.refuseChanges(new AppError('unsupported_by_device', 'This Device cannot do that on air.'));
    const answer = await set({ crop: { left: 5 }, logo: { filename: 'bug.png' } });
    assert.equal(answer['in_force'], 'next_start');
    assert.deepEqual(answer['notes'], [
      'logo: This Device cannot do that on air.',
      'crop: This Device cannot do that on air.',
    ]);
    const { inForce, boundAssets } = (await app.store.get('runs', livestreamId))!.row;
    assert.deepEqual([inForce?.crop, inForce?.logo, boundAssets], [null, null, []]);
    const stored = await app.data('getLivestreamById', { livestreamId });
    assert.equal((stored['crop'] as { left: number }).left, 5);
    app.device.refuseChanges(undefined);
    assert.deepEqual([(await set({}))['in_force'], app.device.changes.length], ['now', 2]);
  });

  it('updateLivestreamOptions stores the options although the Device is away', async () => {
    await goOnAir();
    app.device.goOffline();
    const answer = await set({ crop: { left: 5 } });
    assert.deepEqual([answer['in_force'], answer['notes']], ['next_start', ['crop: The Device does not answer.']]);
  });

  it('updateLivestreamOptions refuses Assets that are not there, and a picture that is cropped away', async () => {
    assert.deepEqual(
      await refused({ logo: { filename: 'gone.png' }, fallback: { mode: 'file', filename: 'gone.mp4' } }),
      ['logo.filename', 'fallback.filename'],
    );
    assert.deepEqual(await refused({ fallback: { mode: 'file' } }), ['fallback.filename']);
    assert.deepEqual(await refused({ crop: { left: 50, right: 50 } }), ['crop']);
    for (const options of [
      { name: 'Other' },
      { scteMarkers: null },
      { overlay: { size: 4 } },
      { logo: { position: 'Left' } },
    ])
      await app.refused('invalid_input', 'updateLivestreamOptions', { livestreamId, ...options });
    await app.refused('not_found', 'updateLivestreamOptions', { livestreamId: 99 });
    assert.equal((await app.call('getLivestreamById', { livestreamId })).etag, '"1"');
  });

  it('updateLivestreamOptions keeps to If-Match', async () => {
    const { etag } = await app.call('getLivestreamById', { livestreamId });
    const changed = await app.call('updateLivestreamOptions', { livestreamId, scteMarkers: true }, { ifMatch: etag });
    assert.equal(changed.etag, (await app.call('getLivestreamById', { livestreamId })).etag);
    assert.notEqual(changed.etag, etag);
    await app.refused(
      'version_mismatch',
      'updateLivestreamOptions',
      { livestreamId, scteMarkers: false },
      { ifMatch: etag },
    );
  });

  it('updateLivestreamOptions does not free the file that a run plays', async () => {
    const clip = readFileSync(makeClip(join(app.dir, 'made.mp4'), 1));
    for (const filename of ['one.mp4', 'two.mp4', 'film.mp4', 'other.mp4']) {
      const upload = { filename, content: new Blob([clip]).stream() };
      await app.data('uploadAsset', { fileType: 'files' }, { upload });
    }
    const film = { name: 'Film', type: 'File', settings: { filename: 'film.mp4' } };
    const { id: channelId } = await app.data('addChannel', film);
    await app.data('updateLivestream', { livestreamId, channelId });
    await set({ logo: { filename: 'bug.png' }, fallback: { mode: 'file', filename: 'one.mp4' } });
    await app.call('startLivestream', { livestreamId });
    await set({ logo: null, fallback: { filename: 'two.mp4' } });
    await app.data('updateChannel', { channelId, settings: { filename: 'other.mp4' } });

    const files = [
      ['logos', 'bug.png'],
      ['files', 'one.mp4'],
      ['files', 'film.mp4'],
      ['files', 'two.mp4'],
      ['files', 'other.mp4'],
    ] as const;
    for (const [fileType, filename] of files) {
      const error = await app.refused('in_use', 'deleteAsset', { fileType, filename });
      const user = filename === 'other.mp4' ? 'Channel 2 "Film"' : 'Live stream 1 "Show"';
      assert.ok(error.message.includes(user), `${filename}: ${error.message}`);
    }
    await app.store.tx((tx) => tx.put('runs', { ...tx.get('runs', livestreamId)!, status: 0, desired: 'off' }));
    for (const [fileType, filename] of files.slice(0, 3)) await app.data('deleteAsset', { fileType, filename });
    for (const [fileType, filename] of files.slice(3))
      await app.refused('in_use', 'deleteAsset', { fileType, filename });
  });
});

describe('getLivestreamEnriched', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());
  const enriched = (livestreamId: number): Promise<Row> =>
    app.data('getLivestreamEnriched', { livestreamId }, { user: 'operator' });

  it('getLivestreamEnriched embeds each resource as it shows itself', async () => {
    const { livestreamId, channelId, encodingId, publishingId } = await addBroadcast(app);
    const shown = await enriched(livestreamId);
    const livestream = await app.data('getLivestreamById', { livestreamId });
    for (const [field, value] of Object.entries(livestream)) assert.deepEqual(shown[field], value, field);
    assert.deepEqual(shown['channel'], await app.data('getChannelById', { channelId }));
    assert.deepEqual(shown['encodings'], [await app.data('getEncodingById', { encodingId })]);
    assert.deepEqual(shown['publishings'], [await app.data('getPublishingById', { publishingId })]);
    assert.deepEqual(shown['runtime_status'], await app.data('getLivestreamStatus', { livestreamId }));
    const { startAllowed, reasons } = await app.data('getLivestreamStartConfig', { livestreamId });
    assert.deepEqual([shown['startAllowed'], shown['reasons']], [startAllowed, reasons]);
    for (const field of wordsOf('encoding_group publishing_group device device_group logo_asset fallback_asset'))
      assert.equal(shown[field], null, field);
    const { etag } = await app.call('getLivestreamEnriched', { livestreamId });
    assert.equal(etag, (await app.call('getLivestreamById', { livestreamId })).etag);
    await app.refused('not_found', 'getLivestreamEnriched', { livestreamId: 99 });
  });

  it('getLivestreamEnriched has groups with their members, the ladder in its order, Device and files', async () => {
    const { livestreamId, publishingId } = await addBroadcast(app);
    const rungs: number[] = [];
    for (const bitrate of [2000, 500, 1000]) {
      rungs.push((await app.data('addEncoding', { name: `at ${bitrate}`, settings_video: { bitrate } })).id);
    }
    const ladder = await app.data('addEncodingGroup', { name: 'Ladder', elements: rungs, quality_order: 'asc' });
    const both = await app.data('addPublishingGroup', { name: 'All', elements: [publishingId] });
    const logo = await app.data('uploadAsset', {
      fileType: 'logos',
      filename: 'bug.png',
      content_base64: PNG_BASE64,
    });
    await app.data('updateLivestream', {
      livestreamId,
      encodingGroupId: ladder.id,
      publishingGroupId: both.id,
      deviceId: app.deviceId,
      logo: { filename: 'bug.png' },
    });
    const shown = await enriched(livestreamId);
    const [top, low, middle] = rungs;
    assert.deepEqual(
      (shown['encodings'] as Row[]).map(({ id }) => id),
      [low, middle, top],
    );
    assert.deepEqual(shown['encoding_group'], ladder);
    assert.deepEqual(shown['publishing_group'], both);
    assert.deepEqual(shown['device'], (await app.rows('getAllDevices'))[0]);
    assert.deepEqual(shown['logo_asset'], logo);
    await app.data('updateEncodingGroup', { groupId: ladder.id, quality_order: 'desc' });
    assert.deepEqual(
      ((await enriched(livestreamId))['encodings'] as Row[]).map(({ id }) => id),
      [top, middle, low],
    );
  });

  it('getLivestreamEnriched says why the Live stream may not start, and what runs', async () => {
    const { livestreamId } = await addBroadcast(app);
    await app.data('updateLivestream', { livestreamId, enabled: false });
    const off = await enriched(livestreamId);
    assert.deepEqual(
      [off['startAllowed'], (off['reasons'] as { code: string }[]).map(({ code }) => code)],
      [false, ['disabled']],
    );
    await app.data('updateLivestream', { livestreamId, enabled: true });
    await app.call('startLivestream', { livestreamId });
    const on = await enriched(livestreamId);
    assert.deepEqual([on['status'], (on['runtime_status'] as Row)['status']], [1, 1]);
    assert.deepEqual(
      (on['reasons'] as { code: string }[]).map(({ code }) => code),
      ['already_running'],
    );
  });

  it('getLivestreamEnriched shows no secret of what it embeds', async () => {
    const { livestreamId } = await addBroadcast(app);
    const push = { name: 'Push', type: 'RTMP-Push', settings: { app: 'live', stream_key: 'canary-key-in' } };
    const { id: channelId } = await app.data('addChannel', push);
    const out = { url: 'rtmp://host/live/canary-pw', stream_key: 'canary-key-out' };
    const { id: publishingId } = await app.data('addPublishing', { name: 'Out', type: 'RTMP', settings: out });
    await app.data('updateLivestream', { livestreamId, channelId, publishingId });
    assert.ok(!JSON.stringify(await enriched(livestreamId)).includes('canary-'));
  });
});
