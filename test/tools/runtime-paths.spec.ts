/** Paths of Destinations that are turned on and off on air. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import { makeIssuer } from '../helpers/licences.ts';
import { until } from '../helpers/until.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { actions, goOnAir, type OnAir } from '../app/on-air.ts';

const issuer = makeIssuer();

let app: TestApp;
let show: OnAir;
let livestreamId: number;
beforeEach(async () => {
  app = await startTestApp({ licenceKey: issuer.publicPem });
  show = await goOnAir(app);
  ({ livestreamId } = show);
});
afterEach(() => app.close());
const { refused, toggle, flags } = actions(() => ({ app, show }));

describe('paths', () => {
  it('paths are turned on and off until the end; the next start takes them as the last one did', async () => {
    const answer = await toggle({ publishingId: show.web, primary: false }, { publishingId: show.cdn, backup: true });
    assert.deepEqual(await flags(), { [show.web]: [false, false], [show.cdn]: [true, true] });
    const paths = (
      answer['publishings'] as { name: string; primary: { state: string }; backup: { state: string } | null }[]
    ).map(({ name, primary, backup }) => [name, primary.state, backup?.state]);
    assert.deepEqual(paths, [
      ['Web', 'idle', undefined],
      ['CDN', 'up', 'up'],
      ['Club', 'idle', undefined],
    ]);
    await app.call('stopLivestream', { livestreamId });
    const { startConfig } = await app.data('getLivestreamStartConfig', { livestreamId });
    assert.deepEqual(
      (startConfig as { publishingId: number; primary: boolean }[]).map((entry) => [entry.publishingId, entry.primary]),
      [
        [show.web, true],
        [show.cdn, true],
      ],
    );
  });

  it('paths of a Destination that the start left out can be turned on', async () => {
    await toggle({ publishingId: show.club, primary: true });
    assert.deepEqual(await flags(), {
      [show.web]: [true, false],
      [show.cdn]: [true, false],
      [show.club]: [true, false],
    });
  });

  it('paths that two callers turn at once are both turned', async () => {
    await Promise.all([
      toggle({ publishingId: show.web, primary: false }),
      toggle({ publishingId: show.cdn, backup: true }),
      toggle({ publishingId: show.cdn, primary: false }),
      toggle({ publishingId: show.club, primary: true }),
    ]);
    assert.deepEqual(await flags(), {
      [show.web]: [false, false],
      [show.cdn]: [false, true],
      [show.club]: [true, false],
    });
  });

  it('paths of the same Destination turned many times at once end as the last caller asked', async () => {
    const request = Array.from({ length: 9 }, (_, turn) => toggle({ publishingId: show.cdn, primary: turn % 2 === 1 }));
    await Promise.all(request);
    assert.deepEqual(await flags(), { [show.web]: [true, false], [show.cdn]: [false, false] });
    assert.equal(show.spec().outputs.find(({ publishingId }) => publishingId === show.cdn)?.primary, false);
  });

  it('paths that are not there are named in the refusal', async () => {
    const { id: stranger } = await app.data('addPublishing', { name: 'Stranger', type: 'HLS / TS' });
    const error = await app.refused('rule_violated', 'runtimeTogglePublishings', {
      livestreamId,
      publishings: [
        { publishingId: show.web },
        { publishingId: stranger, primary: true },
        { publishingId: show.club, backup: true },
      ],
    });
    assert.deepEqual(fieldsOf(error), ['publishings.0', 'publishings.1.publishingId', 'publishings.2.backup']);
    assert.match(error.message, /Publishing 4 "Stranger" is not bound/u);
    const twice = {
      publishings: [
        { publishingId: show.web, primary: true },
        { publishingId: show.web, primary: false },
      ],
    };
    assert.deepEqual(await refused('runtimeTogglePublishings', twice), ['publishings.1.publishingId']);
    await app.data('updatePublishing', {
      publishingId: show.club,
      settings: { backup_url: 'rtmp://late.example/live' },
    });
    const late = { publishings: [{ publishingId: show.club, backup: true }] };
    assert.match(
      (await app.refused('rule_violated', 'runtimeTogglePublishings', { livestreamId, ...late })).message,
      /had no backup_url when/u,
    );
    assert.deepEqual(app.device.changes, []);
  });

  it('notes of a path change say what it could not do, and what is not delivered', async () => {
    const single = await toggle({ publishingId: show.web, backup: true });
    assert.deepEqual(single['notes'], ['Destination "Web" has a single path; backup was ignored.']);
    assert.deepEqual(app.device.changes, []);
    const silent = await toggle({ publishingId: show.web, primary: false }, { publishingId: show.cdn, primary: false });
    assert.deepEqual(silent['notes'], ['"Show" is delivered nowhere now: every Destination is off.']);
  });

  it('paths go back when the encoder refuses', async () => {
    const before = await show.run();
    app.device.refuseChanges(new AppError('timeout', 'late'));
    const publishings = [
      { publishingId: show.club, primary: true },
      { publishingId: show.web, primary: false },
    ];
    await app.refused('timeout', 'runtimeTogglePublishings', { livestreamId, publishings });
    assert.deepEqual(await show.run(), before);
  });

  it('paths count against the licences as at a start, also when two are turned on at once', async () => {
    await app.data('installLicense', {
      license: await issuer.issue({ features: ['publishing_points'], quantity: 3 }),
    });
    await toggle({ publishingId: show.cdn, backup: true });
    const { id: sports } = await app.data('addPublishing', { name: 'Sports', type: 'HLS / TS' });
    await app.store.tx((tx) => {
      const run = tx.get('runs', livestreamId)!;
      tx.put('runs', { ...run, boundPublishings: [...run.boundPublishings, sports] });
    });
    const release = app.device.holdChanges();
    const first = toggle({ publishingId: show.club, primary: true });
    await until(
      'the first at the Device',
      () => app.device.calls.filter(({ method }) => method === 'change').length === 2,
    );
    const body = { livestreamId, publishings: [{ publishingId: sports, primary: true }] };
    const error = await app.refused('forbidden', 'runtimeTogglePublishings', body);
    assert.match(
      error.message,
      /allow 3 Destinations at once; 0 are in use by other Live streams and this one would need 4/u,
    );
    release();
    await first;
    await toggle({ publishingId: show.cdn, primary: false });
  });
});

describe('a Destination that is changed where it is stored while it is on air', () => {
  const stored = async (): Promise<Record<string, unknown>[]> =>
    (await app.rows('getLivestreamEvents', { livestreamId, fields: '*' })).filter(
      ({ data }) => (data as { change?: string }).change === 'stored',
    );

  it('a change of a stored Destination on air is an event: what changed, by whom, from when, without its values', async () => {
    const publishingId = show.cdn;
    const settings = { stream_key: 'canary-new-key', url: 'rtmp://b.example/live' };
    await app.data('updatePublishing', { publishingId, settings, retry: { max_attempts: 3 } }, { user: 'operator' });
    const [event, ...others] = await stored();
    assert.deepEqual([others.length, event?.['kind'], event?.['severity']], [0, 'runtime_changed', 'info']);
    assert.equal(
      event?.['message'],
      'operator: Destination "CDN" is stored with a new stream key, and new settings: retry.max_attempts, url. ' +
        'On air it goes on as it was started; the change counts from the next start.',
    );
    assert.doesNotMatch(JSON.stringify(event), /canary|b\.example/u);
    assert.deepEqual(app.device.changes, [], 'the encoder goes on as it is');
  });

  it('a change of a stored Destination is no event where nothing of the delivery changed, or the Live stream is off', async () => {
    const publishingId = show.cdn;
    const { stream_key } = (await app.data('getPublishingById', { publishingId }))['settings'] as Record<
      string,
      string
    >;
    await app.data('updatePublishing', { publishingId, description: 'the east one', settings: { stream_key } });
    await app.data('updatePublishing', { publishingId, name: 'CDN east' });
    await app.call('stopLivestream', { livestreamId });
    await until('off', async () => (await app.store.get('runs', livestreamId))?.row.status === 0);
    await app.data('updatePublishing', { publishingId, settings: { stream_key: 'canary-later' } });
    assert.deepEqual(await stored(), []);
  });
});
