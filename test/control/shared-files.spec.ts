/** Files that are brought to this server for a change on air; the Device is a fake one. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { AssetFiles } from '../../domain/ports/control.ts';
import { AppError } from '../../domain/base/errors.ts';
import { goOnAir, uploadFilm, type OnAir } from '../app/on-air.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { until } from '../helpers/until.ts';

describe('files of a change on air', () => {
  let app: TestApp;
  let show: OnAir;
  let brought: string[];
  /** The storage that the servers share answers with it. */
  let fault: AppError | undefined;

  beforeEach(async () => {
    app = await startTestApp();
    brought = [];
    fault = undefined;
    (app.control.assetFiles as AssetFiles).bring = (bucket, filename) => {
      brought.push(`${bucket}/${filename}`);
      return fault === undefined ? Promise.resolve() : Promise.reject(fault);
    };
    show = await goOnAir(app, { logo: { filename: 'bug.png', position: 'Left' } });
  });
  afterEach(() => app.close());

  const logo = (filename: string): object => ({ livestreamId: show.livestreamId, logo: { filename } });

  it('what the run shows is brought for its start, and what a change shows for the change', async () => {
    assert.deepEqual(brought, ['logos/bug.png']);
    await app.call('runtimeApplyLogo', logo('other.png'));
    assert.deepEqual(brought, ['logos/bug.png', 'logos/other.png']);
  });

  it('a change without a file goes on air while the storage is away', async () => {
    fault = new AppError('unavailable', 'The bucket is away.');
    await app.call('setLivestreamText', { livestreamId: show.livestreamId, action: 'show', text: 'Now' });
    assert.equal(show.spec().picture.text?.text, 'Now');
  });

  it('a change whose file cannot be brought is refused with the reason, and what was on air stays', async () => {
    fault = new AppError('unavailable', 'The bucket is away.');
    const error = await app.refused('unavailable', 'runtimeApplyLogo', logo('other.png'));
    assert.match(error.message, /The bucket is away/u);
    assert.equal(show.spec().picture.logo?.filename, 'bug.png');
    const bound = (await show.run()).boundAssets?.map(({ filename }) => filename);
    assert.deepEqual(bound, ['bug.png'], 'the other can be deleted again');
  });

  it('a start waits for a storage that is away, and goes on air when it is back', async () => {
    await app.call('stopLivestream', { livestreamId: show.livestreamId });
    await until('status 0', async () => {
      app.clock.advance(500);
      return (await show.run()).status === 0;
    });
    fault = new AppError('unavailable', 'The bucket is away.');
    brought.length = 0;
    await app.call('startLivestream', { livestreamId: show.livestreamId });
    await until('the file was asked for', () => brought.length > 0);
    const { runId, status } = await show.run();
    assert.equal(status, 1);
    assert.ok(!app.device.runIds.includes(runId));
    fault = undefined;
    await until('the run at the Device', () => {
      app.clock.advance(500);
      return app.device.runIds.includes(runId);
    });
  });

  it('a file is brought before it is downloaded, exported and probed', async () => {
    await uploadFilm(app, 'film.mp4');
    const ftp = { name: 'FTP', type: 'FTP', host: '127.0.0.1', port: 9, user: 'u', password: 'p' };
    const { id: targetFolderId } = await app.data('addTargetFolder', ftp);
    const { id: channelId } = await app.data('addChannel', {
      name: 'Film',
      type: 'File',
      settings: { filename: 'film.mp4' },
    });
    fault = new AppError('unavailable', 'The bucket is away.');
    const film = { fileType: 'files', filename: 'film.mp4' };
    for (const [operation, args] of [
      ['readAsset', film],
      ['exportClip', { ...film, targetFolderId }],
      ['probeChannel', { channelId }],
    ] as const) {
      const error = await app.refused('unavailable', operation, args);
      assert.match(error.message, /The bucket is away/u, operation);
    }
  });
});
