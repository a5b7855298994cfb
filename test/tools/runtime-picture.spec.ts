/** Overlays of the programme on air, and its replacements: logo, blackout, text. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { actions, goOnAir, runtimeOf, uploadFilm, type OnAir } from '../app/on-air.ts';

let app: TestApp;
let show: OnAir;
let livestreamId: number;
beforeEach(async () => {
  app = await startTestApp();
  show = await goOnAir(app);
  ({ livestreamId } = show);
});
afterEach(() => app.close());
const { apply, refused, logo } = actions(() => ({ app, show }));

describe('logo', () => {
  it('a logo is shown, moved, replaced and cleared; its position stays', async () => {
    const shown = await logo('bug.png');
    assert.deepEqual(runtimeOf(shown)['logo'], { filename: 'bug.png', position: 'Top-Right' });
    assert.deepEqual([shown['livestreamId'], shown['status'], shown['notes']], [livestreamId, 2, []]);
    await logo('bug.png', 'Bottom-Left');
    assert.deepEqual(runtimeOf(await logo('other.png'))['logo'], { filename: 'other.png', position: 'Bottom-Left' });
    assert.match(show.spec().picture.logo?.path ?? '', /logos\/other\.png$/u);
    assert.equal(runtimeOf(await logo(''))['logo'], null);
    assert.equal(show.spec().picture.logo, null);
    assert.deepEqual(runtimeOf(await logo('bug.png'))['logo'], { filename: 'bug.png', position: 'Bottom-Left' });
    assert.equal(
      (await app.data('getLivestreamById', { livestreamId }))['logo'],
      null,
      'the configuration is another thing',
    );
  });

  it('a logo keeps its file from deletion while it is shown, no longer', async () => {
    const drop = { fileType: 'logos', filename: 'bug.png' };
    await logo('bug.png');
    const error = await app.refused('in_use', 'deleteAsset', drop);
    assert.match(error.message, /Live stream 1 "Show"/u);
    await logo('other.png');
    await app.data('deleteAsset', drop);
    assert.deepEqual(await refused('runtimeApplyLogo', { logo: { filename: 'bug.png' } }), ['logo.filename']);
  });

  it('a logo that the encoder refuses leaves everything as it was', async () => {
    await logo('bug.png', 'Left');
    const before = await show.run();
    app.device.refuseChanges(new AppError('upstream_failed', 'the picture is broken'));
    await app.refused('upstream_failed', 'runtimeApplyLogo', { livestreamId, logo: { filename: 'other.png' } });
    app.device.refuseChanges(new AppError('internal', 'TypeError: x is not a function'));
    const failed = await app.refused('upstream_failed', 'runtimeApplyLogo', {
      livestreamId,
      logo: { filename: '' },
    });
    assert.equal(failed.extras.upstream, 'TypeError: x is not a function');
    assert.deepEqual(await show.run(), before);
    await app.data('deleteAsset', { fileType: 'logos', filename: 'other.png' });
  });

  it('a logo keeps a file in use that the encoder may be showing: it gave no answer', async () => {
    app.device.refuseChanges(new AppError('timeout', 'The encoder did not answer within 8 s.'));
    await app.refused('timeout', 'runtimeApplyLogo', { livestreamId, logo: { filename: 'bug.png' } });
    await app.refused('in_use', 'deleteAsset', { fileType: 'logos', filename: 'bug.png' });
  });
});

describe('blackout', () => {
  it('a blackout covers the programme with black or a file, and ends', async () => {
    await uploadFilm(app, 'slate.mp4');
    assert.equal(runtimeOf(await apply('runtimeApplyBlackout', { mode: 'Black Frame' }))['blackout'], 'Black Frame');
    assert.deepEqual(show.spec().picture.blackout, { mode: 'Black Frame', file: null, keepAudio: false });
    const covered = { mode: 'File', filename: 'slate.mp4', keepAudio: true };
    assert.equal(runtimeOf(await apply('runtimeApplyBlackout', covered))['blackout'], 'File');
    assert.match(show.spec().picture.blackout.file?.path ?? '', /files\/slate\.mp4$/u);
    await app.refused('in_use', 'deleteAsset', { fileType: 'files', filename: 'slate.mp4' });
    assert.equal(runtimeOf(await apply('runtimeApplyBlackout', { mode: 'Live' }))['blackout'], 'Live');
    await app.data('deleteAsset', { fileType: 'files', filename: 'slate.mp4' });
  });

  it('a blackout takes a file with mode File alone', async () => {
    assert.deepEqual(await refused('runtimeApplyBlackout', { mode: 'File' }), ['filename']);
    assert.deepEqual(await refused('runtimeApplyBlackout', { mode: 'File', filename: 'gone.mp4' }), ['filename']);
    assert.deepEqual(await refused('runtimeApplyBlackout', { mode: 'Live', filename: 'slate.mp4' }), ['filename']);
    await app.refused('invalid_input', 'runtimeApplyBlackout', { livestreamId, mode: 'Dark' });
    assert.deepEqual(app.device.changes, []);
  });
});

describe('text', () => {
  it('a text is shown, hidden and shown again as it was', async () => {
    assert.deepEqual(await refused('setLivestreamText', { action: 'show' }), ['text']);
    assert.deepEqual(await refused('setLivestreamText', { action: 'show', text: '' }), ['text']);
    const nothing = await apply('setLivestreamText', { action: 'hide' });
    assert.deepEqual([runtimeOf(nothing)['text'], nothing['notes']], [null, ['No text was shown.']]);
    const shown = await apply('setLivestreamText', {
      action: 'show',
      text: 'It is %H:%M',
      size: 50,
      color: '#ffcc00',
    });
    assert.equal(runtimeOf(shown)['text'], 'It is %H:%M');
    assert.equal(runtimeOf(await apply('setLivestreamText', { action: 'hide' }))['text'], null);
    await apply('setLivestreamText', { action: 'show', position: 'Top' });
    const text = { text: 'It is %H:%M', position: 'Top', size: 50, color: '#ffcc00' };
    assert.deepEqual(show.spec().picture.text, text);
  });

  it('text, logo and blackout set at once are all in force: each is kept apart', async () => {
    await Promise.all([
      apply('setLivestreamText', { action: 'show', text: 'Breaking' }),
      logo('bug.png'),
      apply('runtimeApplyBlackout', { mode: 'Black Frame' }),
    ]);
    const status = await app.data('getLivestreamStatus', { livestreamId });
    const on = { logo: { filename: 'bug.png', position: 'Top-Right' }, blackout: 'Black Frame', text: 'Breaking' };
    assert.deepEqual(runtimeOf(status), { ...on, source: show.channelId });
    const { inForce } = await show.run();
    assert.deepEqual(
      [inForce?.overlay?.text, inForce?.logo?.filename, inForce?.blackout.mode],
      ['Breaking', 'bug.png', 'Black Frame'],
    );
  });
});
