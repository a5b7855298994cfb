/** The switch of the source on air. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { actions, addCamera, goOnAir, runtimeOf, uploadFilm, type OnAir } from '../app/on-air.ts';

let app: TestApp;
let show: OnAir;
let livestreamId: number;
beforeEach(async () => {
  app = await startTestApp();
  show = await goOnAir(app);
  ({ livestreamId } = show);
});
afterEach(() => app.close());
const { refused, switchTo } = actions(() => ({ app, show }));

describe('source', () => {
  it('a source switch puts another Channel on air, which cannot be deleted meanwhile', async () => {
    const { id } = await addCamera(app, 'second');
    assert.equal(runtimeOf(await switchTo(id))['source'], id);
    assert.equal(show.spec().source.name, 'second');
    assert.match((await app.refused('in_use', 'deleteChannel', { channelId: id })).message, /Live stream 1 "Show"/u);
    await switchTo(show.channelId);
    await app.data('deleteChannel', { channelId: id });
    await app.refused('in_use', 'deleteChannel', { channelId: show.channelId });
  });

  it('a source switch releases the media file that was on air', async () => {
    await uploadFilm(app, 'film.mp4');
    const { id: film } = await app.data('addChannel', {
      name: 'Film',
      type: 'File',
      settings: { filename: 'film.mp4' },
    });
    assert.deepEqual(await refused('runtimeApplySourceSwitch', { channelId: film }), ['channelId']);
    await app.store.tx((tx) => {
      const run = tx.get('runs', livestreamId)!;
      tx.put('runs', { ...run, boundAssets: [{ fileType: 'files', filename: 'film.mp4', use: 'source' }] });
    });
    await switchTo((await addCamera(app, 'second')).id);
    assert.deepEqual((await show.run()).boundAssets, []);
  });

  it('the new source must be there, another, and one that can be switched to', async () => {
    assert.deepEqual(await refused('runtimeApplySourceSwitch', { channelId: 99 }), ['channelId']);
    assert.deepEqual(await refused('runtimeApplySourceSwitch', { channelId: show.channelId }), ['channelId']);
    const sdi = await addCamera(app, 'sdi', { type: 'SDI', settings: { deviceId: app.deviceId, input: 0 } });
    assert.deepEqual(await refused('runtimeApplySourceSwitch', { channelId: sdi.id }), ['channelId']);
    const ndi = await addCamera(app, 'ndi', { type: 'NDI', settings: {} });
    const refusal = await app.refused('unsupported_by_device', 'runtimeApplySourceSwitch', {
      livestreamId,
      channelId: ndi.id,
    });
    assert.match(refusal.message, /Device 1 "studio" cannot do Channel NDI/u);
    const site = await addCamera(app, 'site', { type: 'VideoSite Live', settings: { video_id: 'abcdefghijk' } });
    await app.refused('forbidden', 'runtimeApplySourceSwitch', { livestreamId, channelId: site.id });
    assert.deepEqual(app.device.changes, []);
  });

  it('the source stays the old one when the new one gives no picture', async () => {
    const { id } = await addCamera(app, 'dead');
    app.device.refuseChanges(
      new AppError('upstream_failed', 'Channel "dead" gave no picture within 5 s.', { upstream: 'refused' }),
    );
    await app.refused('upstream_failed', 'runtimeApplySourceSwitch', { livestreamId, channelId: id });
    assert.equal(runtimeOf(await app.data('getLivestreamStatus', { livestreamId }))['source'], show.channelId);
    await app.data('deleteChannel', { channelId: id });
  });

  it('the source and the picture cannot be changed while video is copied', async () => {
    await app.store.tx((tx) => {
      const encoding = tx.get('encodings', show.encodingId)!;
      tx.put('encodings', { ...encoding, settings_video: { ...encoding.settings_video, codec: 'copy' } });
    });
    const { id } = await addCamera(app, 'second');
    await app.refused('rule_violated', 'runtimeApplySourceSwitch', { livestreamId, channelId: id });
    await app.refused('rule_violated', 'runtimeApplyLogo', { livestreamId, logo: { filename: 'bug.png' } });
    await app.refused('rule_violated', 'setLivestreamText', { livestreamId, action: 'show', text: 'x' });
    await app.refused('rule_violated', 'runtimeApplyBlackout', { livestreamId, mode: 'Black Frame' });
  });
});
