/** The switch of the source on air. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { AppError } from '../../domain/errors.ts';
import { openBench, type Bench } from '../app/test-app.ts';
import { actions, addCamera, goOnAir, runtimeOf, uploadFilm, type OnAir } from '../app/on-air.ts';

let bench: Bench;
let show: OnAir;
let livestreamId: number;
beforeEach(async () => {
  bench = await openBench();
  show = await goOnAir(bench);
  ({ livestreamId } = show);
});
afterEach(() => bench.close());
const { refused, switchTo } = actions(() => ({ bench, show }));

describe('source', () => {
  it('is another Channel, which cannot be deleted while it is on air', async () => {
    const { id } = await addCamera(bench, 'second');
    assert.equal(runtimeOf(await switchTo(id))['source'], id);
    assert.equal(show.spec().source.name, 'second');
    assert.match((await bench.refused('in_use', 'deleteChannel', { channelId: id })).message, /Live stream 1 "Show"/u);
    await switchTo(show.channelId);
    await bench.data('deleteChannel', { channelId: id });
    await bench.refused('in_use', 'deleteChannel', { channelId: show.channelId });
  });

  it('frees the film that was on air', async () => {
    await uploadFilm(bench, 'film.mp4');
    const { id: film } = await bench.data('addChannel', {
      name: 'Film',
      type: 'File',
      settings: { filename: 'film.mp4' },
    });
    assert.deepEqual(await refused('runtimeApplySourceSwitch', { channelId: film }), ['channelId']);
    await bench.store.tx((tx) => {
      const run = tx.get('runs', livestreamId)!;
      tx.put('runs', { ...run, boundAssets: [{ fileType: 'files', filename: 'film.mp4', use: 'source' }] });
    });
    await switchTo((await addCamera(bench, 'second')).id);
    assert.deepEqual((await show.run()).boundAssets, []);
  });

  it('must be there, another, and one that can be switched to', async () => {
    assert.deepEqual(await refused('runtimeApplySourceSwitch', { channelId: 99 }), ['channelId']);
    assert.deepEqual(await refused('runtimeApplySourceSwitch', { channelId: show.channelId }), ['channelId']);
    const sdi = await addCamera(bench, 'sdi', { type: 'SDI', settings: { deviceId: bench.deviceId, input: 0 } });
    assert.deepEqual(await refused('runtimeApplySourceSwitch', { channelId: sdi.id }), ['channelId']);
    const ndi = await addCamera(bench, 'ndi', { type: 'NDI', settings: {} });
    const lack = await bench.refused('unsupported_by_device', 'runtimeApplySourceSwitch', {
      livestreamId,
      channelId: ndi.id,
    });
    assert.match(lack.message, /Device 1 "encoder" cannot do Channel NDI/u);
    const site = await addCamera(bench, 'site', { type: 'VideoSite Live', settings: { video_id: 'abcdefghijk' } });
    await bench.refused('forbidden', 'runtimeApplySourceSwitch', { livestreamId, channelId: site.id });
    assert.deepEqual(bench.device.changes, []);
  });

  it('stays the old one when the new one gives no picture', async () => {
    const { id } = await addCamera(bench, 'dead');
    bench.device.refuseChanges(
      new AppError('upstream_failed', 'Channel "dead" gave no picture within 5 s.', { upstream: 'refused' }),
    );
    await bench.refused('upstream_failed', 'runtimeApplySourceSwitch', { livestreamId, channelId: id });
    assert.equal(runtimeOf(await bench.data('getLivestreamStatus', { livestreamId }))['source'], show.channelId);
    await bench.data('deleteChannel', { channelId: id });
  });

  it('and the picture cannot be changed while video is copied', async () => {
    await bench.store.tx((tx) => {
      const encoding = tx.get('encodings', show.encodingId)!;
      tx.put('encodings', { ...encoding, settings_video: { ...encoding.settings_video, codec: 'copy' } });
    });
    const { id } = await addCamera(bench, 'second');
    await bench.refused('rule_violated', 'runtimeApplySourceSwitch', { livestreamId, channelId: id });
    await bench.refused('rule_violated', 'runtimeApplyLogo', { livestreamId, logo: { filename: 'bug.png' } });
    await bench.refused('rule_violated', 'setLivestreamText', { livestreamId, action: 'show', text: 'x' });
    await bench.refused('rule_violated', 'runtimeApplyBlackout', { livestreamId, mode: 'Black Frame' });
  });
});
