/** The rules of all changes of a broadcast on air. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { until } from '../helpers/until.ts';
import type { Row } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { actions, addCamera, goOnAir, type OnAir } from '../app/on-air.ts';

describe('live changes on air', () => {
  let app: TestApp;
  let show: OnAir;
  let livestreamId: number;
  beforeEach(async () => {
    app = await startTestApp();
    show = await goOnAir(app);
    ({ livestreamId } = show);
  });
  afterEach(() => app.close());

  const { apply, logo, toggle, flags } = actions(() => ({ app, show }));

  it('cues and ad values of a Live stream on air reach the encoder', async () => {
    await apply('runtimePushMetadata', { type: 'CueOut', metadata: { duration: 30, id: 7 } });
    const set = await apply('runtimeSetAdValues', {
      default_ad_duration: 30,
      max_ad_duration: 90,
      next_ad_duration: 15,
    });
    assert.deepEqual(set['notes'], ['Ad durations: by default 30 s, at most 90 s, of the next break alone 15 s.']);
    const cleared = await apply('runtimeSetAdValues', { max_ad_duration: null });
    assert.deepEqual(cleared['notes'], ['Ad durations: by default 30 s, at most none.']);
    const cue = { type: 'CueOut', duration: 30, id: 7 };
    const values = { default_ad_duration: 30, max_ad_duration: 90, next_ad_duration: 15 };
    assert.deepEqual(app.device.changes, [
      { type: 'cue', cue, by: 'operator' },
      { type: 'adValues', adValues: values, by: 'operator' },
      { type: 'adValues', adValues: { max_ad_duration: null }, by: 'operator' },
    ]);
    await app.refused('invalid_input', 'runtimeSetAdValues', { livestreamId });
    await app.refused('invalid_input', 'runtimePushMetadata', { livestreamId, type: 'Cue' });
  });

  it('a preview of a Live stream on air is a picture that caches may not store', async () => {
    const { body, file } = await app.call('getLivestreamPreview', { livestreamId, width: 320 });
    assert.deepEqual(file, { content: Buffer.from('jpeg 320'), contentType: 'image/jpeg' });
    const { data } = body as { data: Row };
    assert.deepEqual([data['livestreamId'], data['content_type'], data['size_bytes']], [livestreamId, 'image/jpeg', 8]);
    assert.equal((await app.store.find('audit', { where: { operation: 'getLivestreamPreview' } })).total, 0);
  });

  it('a retry of a live change with the same key changes nothing again', async () => {
    const body = { livestreamId, logo: { filename: 'bug.png' } };
    const first = await app.call('runtimeApplyLogo', body, { idempotencyKey: 'logo' });
    const again = await app.call('runtimeApplyLogo', body, { idempotencyKey: 'logo' });
    assert.deepEqual([again.replayed, again.body], [true, first.body]);
    assert.equal(app.device.changes.length, 1);
    const [entry] = (await app.store.find('audit', { where: { operation: 'runtimeApplyLogo' } })).rows;
    assert.deepEqual([entry?.outcome, entry?.changed, entry?.resource_id], ['ok', ['logo'], livestreamId]);
  });

  it('a live change that a stop overtakes is refused as such, and leaves nothing behind', async () => {
    const calls: [string, object][] = [
      ['runtimeApplyLogo', { logo: { filename: 'bug.png' } }],
      ['runtimeTogglePublishings', { publishings: [{ publishingId: show.club, primary: true }] }],
    ];
    const release = app.device.holdChanges();
    const refusals = calls.map(([operation, body]) => app.refused('wrong_state', operation, { livestreamId, ...body }));
    await until('both at the Device', () => app.device.calls.filter(({ method }) => method === 'change').length === 2);
    await app.call('stopLivestream', { livestreamId });
    await until('status 0', async () => (await show.run()).status === 0);
    release();
    for (const error of await Promise.all(refusals)) assert.deepEqual(error.extras.facts, { state: 0, allowed: [2] });
    assert.deepEqual(await flags(), { [show.web]: [true, false], [show.cdn]: [true, false] });
    await app.data('deleteAsset', { fileType: 'logos', filename: 'bug.png' });
  });

  it('a live change that is confirmed after the stop was ordered counts for nothing', async () => {
    const releaseStops = app.device.holdStops();
    const release = app.device.holdChanges();
    const refusal = app.refused('wrong_state', 'runtimeApplyLogo', { livestreamId, logo: { filename: 'bug.png' } });
    await until('the change at the Device', () => app.device.calls.some(({ method }) => method === 'change'));
    await app.call('stopLivestream', { livestreamId });
    release();
    assert.match((await refusal).message, /is being stopped/u);
    releaseStops();
  });

  it('a live change waits for no other Live stream, nor for another kind of change of the same', async () => {
    const release = app.device.holdChanges();
    const held = logo('bug.png');
    await until('the logo at the Device', () => app.device.calls.some(({ method }) => method === 'change'));
    const others = [
      apply('setLivestreamText', { action: 'show', text: 'x' }),
      toggle({ publishingId: show.cdn, backup: true }),
    ];
    await until('three at the Device', () => app.device.calls.filter(({ method }) => method === 'change').length === 3);
    release();
    await Promise.all([held, ...others]);
  });

  it('a Device that has lost the run gets the live changes in force again', async () => {
    const { id } = await addCamera(app, 'second');
    await logo('bug.png', 'Left');
    await apply('setLivestreamText', { action: 'show', text: 'Hello' });
    await apply('runtimeApplySourceSwitch', { channelId: id });
    await toggle({ publishingId: show.cdn, backup: true });
    const before = structuredClone(show.spec());
    app.device.goOffline();
    app.device.vanish(show.runId);
    app.device.goOnline();
    await until('the run at the Device again', () => app.device.runIds.includes(show.runId));
    assert.deepEqual(show.spec(), Object.assign(before, { wasOnAir: true }));
  });

  it('a live change is refused as unavailable while its Device is away', async () => {
    app.device.goOffline();
    await app.refused('unavailable', 'runtimeApplyLogo', { livestreamId, logo: { filename: 'bug.png' } });
    await app.refused('unavailable', 'getLivestreamPreview', { livestreamId });
  });
});

const CALLS: [string, object][] = [
  ['runtimeApplyLogo', { logo: { filename: 'gone.png' } }],
  ['runtimeApplyBlackout', { mode: 'Live' }],
  ['runtimeTogglePublishings', { publishings: [{ publishingId: 99 }] }],
  ['runtimeApplySourceSwitch', { channelId: 99 }],
  ['runtimePushMetadata', { type: 'CueIn' }],
  ['runtimeSetAdValues', { next_ad_duration: 1 }],
  ['setLivestreamText', { action: 'hide' }],
  ['getLivestreamPreview', {}],
];

describe('live changes off air', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  it('a live change of what is not on air is refused, and the state is named', async () => {
    const { livestreamId, run } = await goOnAir(app);
    for (const [status, desired, words] of [
      [0, 'off', /has status 0 \(stopped\).*Start it first/u],
      [1, 'on', /has status 1 \(starting\).*once it is on air/u],
      [2, 'off', /is being stopped/u],
      [3, 'on', /has status 3 \(failed\)/u],
    ] as const) {
      app.device.goOffline();
      await app.store.tx((tx) => tx.put('runs', { ...tx.get('runs', livestreamId)!, status, desired }));
      for (const [operation, body] of CALLS) {
        const error = await app.refused('wrong_state', operation, { livestreamId, ...body });
        assert.match(error.message, words, operation);
        assert.deepEqual(error.extras.facts, { state: status, allowed: [2] });
      }
    }
    assert.equal((await run()).status, 3);
    for (const [operation, body] of CALLS) await app.refused('not_found', operation, { livestreamId: 99, ...body });
  });
});
