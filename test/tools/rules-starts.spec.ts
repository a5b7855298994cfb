/** The options of a start, at once and planned: each answer is the same for both. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { ErrorCode } from '../../domain/base/errors.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

describe('rules of starts', () => {
  let app: TestApp;
  let livestreamId: number;
  let web: number;
  let cdn: number;
  let encodingId: number;
  beforeEach(async () => {
    app = await startTestApp();
    ({ livestreamId, publishingId: web, encodingId } = await addBroadcast(app));
    const settings = { url: 'rtmp://cdn.example/live', stream_key: 'k' };
    cdn = (await app.data('addPublishing', { name: 'CDN', type: 'RTMP', settings })).id;
    const { id: publishingGroupId } = await app.data('addPublishingGroup', { name: 'All', elements: [web, cdn] });
    await app.data('updateLivestream', { livestreamId, publishingGroupId });
  });
  afterEach(() => app.close());

  async function refuses(request: object, code: ErrorCode, field: string): Promise<void> {
    const now = await app.refused(code, 'startLivestream', { livestreamId, ...request });
    assert.deepEqual(fieldsOf(now), [field], now.message);
    const execute_at = new Date(app.clock.now() + 3_600_000).toISOString();
    const planned = { livestreamId, type: 'start', payload: request, execute_at };
    const ahead = await app.refused(code, 'addLivestreamAction', planned);
    assert.deepEqual(fieldsOf(ahead), [`payload.${field}`], ahead.message);
    assert.equal(await app.store.get('runs', livestreamId), undefined, 'nothing was stored');
    assert.equal((await app.store.find('plannedActions', {})).total, 0);
  }

  it('a start that names a Destination twice is refused, whatever it wants of it', async () => {
    await refuses(
      { startConfig: [{ publishingId: cdn }, { publishingId: cdn }] },
      'rule_violated',
      'startConfig.1.publishingId',
    );
    const both = [{ publishingId: web, primary: true }, { publishingId: cdn }, { publishingId: web, primary: false }];
    await refuses({ startConfig: both }, 'rule_violated', 'startConfig.2.publishingId');
  });

  it('a start that wants a backup path that has no URL is refused', async () => {
    for (const publishingId of [cdn, web])
      await refuses({ startConfig: [{ publishingId, backup: true }] }, 'rule_violated', 'startConfig.0.backup');
  });

  it('a start that wants no quality at all, or one twice, is refused', async () => {
    const of = (qualities: number[]): object => ({ startConfig: [{ publishingId: web, qualities }] });
    await refuses(of([]), 'invalid_input', 'startConfig.0.qualities');
    await refuses(of([encodingId, encodingId]), 'invalid_input', 'startConfig.0.qualities.1');
  });

  it('a start that names a Device outside of the Device group that it names is refused', async () => {
    const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
    const idEncoderGroup = await app.store.tx(
      (tx) => tx.insert('deviceGroups', { ...stamps, name: 'pool', description: null, devices: [] }).id,
    );
    await refuses({ deviceId: app.deviceId, idEncoderGroup }, 'rule_violated', 'deviceId');
    await app.store.tx((tx) => {
      tx.put('deviceGroups', { ...tx.get('deviceGroups', idEncoderGroup)!, devices: [app.deviceId] });
    });
    const taken = await app.call('startLivestream', { livestreamId, deviceId: app.deviceId, idEncoderGroup });
    assert.equal(taken.status, 202);
  });

  it('a start with the paths of the last one leaves out a backup path whose URL was removed since', async () => {
    const twoPaths = { publishingId: cdn, settings: { backup_url: 'rtmp://backup.example/live' } };
    await app.data('updatePublishing', twoPaths);
    await app.data('startLivestream', { livestreamId, startConfig: [{ publishingId: cdn, backup: true }] });
    await app.data('stopLivestream', { livestreamId });
    await app.store.tx((tx) => {
      tx.put('runs', { ...tx.get('runs', livestreamId)!, status: 0 });
    });
    const changed = await app.data('updatePublishing', { publishingId: cdn, settings: { backup_url: null } });
    const [note] = changed['notes'] as string[];
    assert.match(
      note!,
      /^Destination "CDN" has no backup_url any more: the next start of Show leaves its backup path out/u,
    );
    const { startConfig } = await app.data('getLivestreamStartConfig', { livestreamId });
    assert.deepEqual(startConfig, [{ publishingId: cdn, primary: true, backup: false }]);
    assert.deepEqual((await app.data('getLivestreamById', { livestreamId }))['startConfig'], startConfig);
    const events = await app.rows('getLivestreamEvents', { livestreamId });
    assert.ok(events.some(({ kind, message }) => kind === 'runtime_changed' && message === note));
    const again = await app.data('updatePublishing', { publishingId: cdn, description: 'no matter of its paths' });
    assert.ok(!('notes' in again));
    const started = await app.call('startLivestream', { livestreamId });
    assert.equal(started.status, 202);
    assert.deepEqual((await app.data('getLivestreamById', { livestreamId }))['startConfig'], startConfig);
  });
});
