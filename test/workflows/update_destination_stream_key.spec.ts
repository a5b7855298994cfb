import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { bindDestinations, OLD_KEY } from './destinations.ts';
import { onAir, startWorkflowApp, type WorkflowApp } from './workflow-app.ts';

const NEW_KEY = 'neuschluessel_9876543210';
const NAME = 'update_destination_stream_key';

let app: WorkflowApp;
let bound: Awaited<ReturnType<typeof bindDestinations>>;
beforeEach(async () => {
  app = await startWorkflowApp();
  bound = await bindDestinations(app);
});
afterEach(() => app.close());

const rotate = (destination: string, more: object = {}): Promise<any> =>
  app.run(NAME, { livestream: 'Show', destination, stream_key: NEW_KEY, ...more });
const refusal = (destination: string, more: object = {}): Promise<AppError> =>
  app.refusal(NAME, { livestream: 'Show', destination, stream_key: NEW_KEY, ...more });
const storedKey = async (id: number): Promise<string | null | undefined> =>
  (await app.store.get('publishings', id))?.row.settings.stream_key;

test('the Destination alone says whose stream key is new, live or not', async () => {
  const alone = (): Promise<any> => app.run(NAME, { destination: 'CDN west', stream_key: NEW_KEY });
  assert.deepEqual([(await alone()).livestreamId, await storedKey(bound.west)], [null, NEW_KEY]);
  await onAir(app);
  assert.deepEqual((await alone()).live[0].livestreamId, app.livestreamId);
  const unknown = { destination: 'Radio', stream_key: NEW_KEY };
  assert.equal((await app.refusal(NAME, unknown)).code, 'not_found');
});

test('the new stream key of a Destination that is not live is stored', async () => {
  const answer = await rotate('CDN west');
  assert.deepEqual(answer, {
    livestreamId: app.livestreamId,
    publishingId: bound.west,
    destination: 'CDN west',
    changed: true,
    live: [],
    message: '"CDN west" has its new key.',
  });
  assert.equal(await storedKey(bound.west), NEW_KEY);
  assert.equal(await storedKey(bound.east), OLD_KEY);
  assert.deepEqual(app.device.calls, []);
});

test('the new key of an SRT Destination takes the place of its stream id, where that is the key', async () => {
  await app.store.tx((tx) => {
    const row = tx.get('publishings', bound.west)!;
    const settings = { ...row.settings, stream_key: null, url: 'srt://192.0.2.20:9000' };
    tx.put('publishings', {
      ...row,
      type: 'SRT',
      settings: { ...settings, srt: { ...settings.srt, streamid: OLD_KEY } },
    });
  });
  assert.equal((await rotate('CDN west')).changed, true);
  const { stream_key, srt } = (await app.store.get('publishings', bound.west))!.row.settings;
  assert.deepEqual([stream_key, srt.streamid], [null, NEW_KEY]);
  const long = await refusal('CDN west', { stream_key: '€'.repeat(200) });
  assert.equal(long.code, 'invalid_input');
  assert.deepEqual(
    long.extras.errors?.map(({ field }) => field),
    ['stream_key'],
  );
});

test('a new stream key pauses and resumes only its Destination, in every broadcast that delivers to it', async () => {
  await onAir(app);
  const other = await seedBroadcast(app.store, ' 2');
  await app.store.tx((tx) => {
    tx.put('livestreams', { ...tx.get('livestreams', other)!, publishingId: bound.east });
    // Two started in the version before: a far end takes one broadcast by now.
    const run = tx.get('runs', app.livestreamId)!;
    tx.put('runs', { ...run, startConfig: run.startConfig.filter(({ publishingId }) => publishingId !== bound.east) });
  });
  const started = app.run('start_livestream', { livestream: 'Show 2' });
  const [, second] = await runsAtDevice(2);
  app.device.running(second!);
  await started;

  const answer = await rotate('CDN east');
  const now = { in_force: 'now', delivers: true, reason: null };
  assert.deepEqual(answer.live, [
    { livestreamId: app.livestreamId, name: 'Show', ...now },
    { livestreamId: other, name: 'Show 2', ...now },
  ]);
  assert.equal(answer.message, '"CDN east" has its new key. It was resumed with it and delivers.');
  assert.deepEqual(
    app.device.changes.map((change) => change.type === 'output' && change.output.publishingId),
    [bound.east, bound.east],
  );
  for (const runId of app.device.runIds) {
    const keys = app.device
      .spec(runId)
      .outputs.map(({ publishingId, settings }) => [publishingId, settings.stream_key]);
    assert.deepEqual(
      keys.filter(([id]) => id === bound.east),
      [[bound.east, NEW_KEY]],
    );
    assert.ok(keys.every(([id, key]) => id === bound.east || key !== NEW_KEY));
  }
});

async function runsAtDevice(count: number): Promise<string[]> {
  while (app.device.runIds.length < count) await new Promise((resolve) => setImmediate(resolve));
  return app.device.runIds;
}

test('a new key changes nothing when the broadcast named refuses; another that does gets it at its next start', async () => {
  await onAir(app);
  app.device.refuseChanges(new AppError('upstream_failed', 'no'));
  assert.equal((await refusal('CDN east')).code, 'upstream_failed');
  assert.equal(await storedKey(bound.east), OLD_KEY);

  const other = await seedBroadcast(app.store, ' 2');
  await app.store.tx((tx) => tx.put('livestreams', { ...tx.get('livestreams', other)!, publishingId: bound.east }));
  const answer = await app.run(NAME, { livestream: 'Show 2', destination: 'CDN east', stream_key: NEW_KEY });
  assert.deepEqual(answer.live, [
    { livestreamId: app.livestreamId, name: 'Show', in_force: 'next_start', delivers: false, reason: 'no' },
  ]);
  assert.equal(answer.message, '"CDN east" has its new key. For "Show" the key counts from the next start.');
  assert.equal(await storedKey(bound.east), NEW_KEY);
});

test('update_destination_stream_key says when the target does not take the new key', async () => {
  await onAir(app);
  const runId = await app.runId();
  const { publishings } = app.device.report(runId);
  const failing = publishings.map((notice) =>
    notice.publishingId === bound.west
      ? { ...notice, primary: { ...notice.primary, state: 'retrying' as const } }
      : notice,
  );
  app.device.tell(runId, { publishings: failing });
  const answer = await rotate('CDN west');
  assert.equal(answer.message, '"CDN west" has its new key. It does not deliver "Show" yet.');
  assert.equal(answer.live[0].reason, 'Its target has not taken the stream yet.');
});

test('update_destination_stream_key says that a Destination is switched off: its key is in force all the same', async () => {
  await onAir(app);
  await app.run('runtimeTogglePublishings', {
    livestreamId: app.livestreamId,
    publishings: [{ publishingId: bound.west, primary: false }],
  });
  const answer = await rotate('CDN west');
  assert.equal(answer.live[0].in_force, 'now');
  assert.equal(answer.message, '"CDN west" has its new key. It is switched off for "Show".');
});

test('update_destination_stream_key keeps to the rules of a Publishing, and to types that have a key', async () => {
  const none = await refusal('Web');
  assert.deepEqual([none.code, /of type HLS \/ TS has no stream key/u.test(none.message)], ['rule_violated', true]);
  assert.equal((await refusal('CDN east', { stream_key: '****3456' })).code, 'invalid_input');
  assert.equal((await refusal('CDN east', { stream_key: '' })).code, 'invalid_input');
});

test('a key that no attempt could use is refused by its own argument, dry or not, and nothing is stored', async () => {
  const srt = { type: 'SRT', settings: { url: 'srt://h:9000' } } as const;
  const unfit: [destination: number, stream_key: string][] = [
    [bound.east, '   '],
    [bound.east, '🔑'.repeat(255)],
    [bound.west, '€'.repeat(171)],
  ];
  await app.store.tx((tx) => {
    const west = tx.get('publishings', bound.west)!;
    tx.put('publishings', { ...west, ...srt, settings: { ...west.settings, ...srt.settings } });
  });
  for (const [id, stream_key] of unfit) {
    for (const dry_run of [true, false]) {
      const error = await refusal(String(id), { stream_key, dry_run });
      assert.equal(error.code, 'invalid_input');
      assert.deepEqual(
        error.extras.errors?.map(({ field }) => field),
        ['stream_key'],
      );
    }
    assert.equal(await storedKey(id), OLD_KEY);
  }
});

test('update_destination_stream_key with dry_run says what would happen', async () => {
  assert.equal(
    (await rotate('CDN east', { dry_run: true })).message,
    'The key of "CDN east" would be replaced; nothing on air uses it.',
  );
  await onAir(app);
  const plan = await rotate('CDN east', { dry_run: true });
  assert.equal(plan.changed, false);
  assert.equal(
    plan.message,
    'The key of "CDN east" would be replaced, and the delivery of "Show" to it interrupted for a moment.',
  );
  assert.equal(await storedKey(bound.east), OLD_KEY);
  assert.deepEqual(app.device.changes, []);
});

test('update_destination_stream_key shows neither key anywhere', async () => {
  await onAir(app);
  const lines: unknown[] = [await rotate('CDN east'), (await refusal('Web')).message];
  app.device.refuseChanges(new AppError('timeout', 'late'));
  const error = await refusal('CDN east');
  lines.push(error.message, error.extras);
  for (const collection of ['audit', 'events', 'idempotency'] as const)
    lines.push((await app.store.find(collection, {})).rows);
  const text = JSON.stringify(lines);
  assert.ok(!text.includes(NEW_KEY) && !text.includes(OLD_KEY));
  assert.match(text, /stream_key/u);
});
