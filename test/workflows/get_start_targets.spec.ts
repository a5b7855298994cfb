import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { CollectionRows } from '../../domain/ports/collections.ts';
import { profileByName, profiles } from '../../profiles/profiles.ts';
import { FAKE_CAPABILITIES } from '../helpers/fake-device.ts';
import { onAir, startWorkflowApp, type WorkflowApp } from './workflow-app.ts';

let app: WorkflowApp;
beforeEach(async () => {
  app = await startWorkflowApp();
});
afterEach(() => app.close());

const AT = '2026-01-01T00:00:00.000Z';
const stamps = { created_at: AT, updated_at: AT };
const targets = (): Promise<any> => app.run('get_start_targets', { livestream: 'Show' });
/** The target of a kind and name. */
const named = (answer: any, kind: string, name: string): any =>
  answer.targets.find((target: any) => target.kind === kind && target.name === name) ?? assert.fail(`${kind} ${name}`);

/** A row of a Device that nobody is connected to, or as `more` says. */
function addDevice(name: string, more: Partial<Device> = {}): Promise<number> {
  return app.store.tx((tx) => {
    const { id: _id, ...row } = tx.get('devices', 1)!;
    return tx.insert('devices', { ...row, local: false, name, ...more }).id;
  });
}
function addGroup(name: string, devices: number[]): Promise<number> {
  return app.store.tx((tx) => tx.insert('deviceGroups', { ...stamps, name, description: null, devices }).id);
}
function configure(change: Partial<CollectionRows['livestreams']>): Promise<void> {
  return app.store.tx((tx) => tx.put('livestreams', { ...tx.get('livestreams', app.livestreamId)!, ...change }));
}

test('the one Device is recommended, ready for start_livestream, with the figures of channel_slot_usage', async () => {
  const { recommended, reasons, message } = await targets();
  const { devices } = await app.run('channel_slot_usage', {});
  assert.deepEqual(recommended.start, { deviceId: 1 });
  assert.deepEqual([recommended.slots, recommended.load], [devices[0].slots, devices[0].load]);
  assert.ok(recommended.needed_cores > 0.2 && recommended.free_cores === 3);
  assert.deepEqual(reasons, []);
  assert.match(message, /^Start "Show" on Device "studio", which is 0 % full\.$/u);
  const started = app.run('start_livestream', { livestream: 'Show', ...recommended.start, wait_seconds: 0 });
  assert.equal((await started).status, 1);
});

test('a Device group comes before the Device that it would choose, and an empty or useless one comes last', async () => {
  const away = await addDevice('attic');
  const group = await addGroup('Studios', [1, away]);
  await addGroup('Nobody', []);
  await addGroup('Attics', [away]);
  const answer = await targets();
  assert.deepEqual(answer.recommended.start, { idEncoderGroup: group });
  assert.equal(answer.targets.filter((target: any) => target.recommended).length, 1);
  assert.equal(answer.targets[1].start.deviceId, 1);
  assert.equal(named(answer, 'device_group', 'Nobody').reason.code, 'empty');
  const attics = named(answer, 'device_group', 'Attics');
  assert.deepEqual([attics.available, attics.reason.code], [false, 'offline']);
  assert.match(attics.reason.message, /Device \d "attic" is offline/u);
  const run = await app.run('start_livestream', { livestream: 'Show', ...answer.recommended.start, wait_seconds: 0 });
  assert.equal(run.deviceId, 1);
});

test('each Device that cannot run the start says why: disabled, offline, a missing capability, no room', async () => {
  await addDevice('off', { enabled: false });
  await addDevice('away');
  const answer = await targets();
  assert.equal(named(answer, 'device', 'off').reason.code, 'disabled');
  assert.equal(named(answer, 'device', 'away').reason.code, 'offline');
  await app.store.tx((tx) => {
    const device = tx.get('devices', 1)!;
    const missing = [{ feature: 'Publishing HLS / TS', needs: 'ffmpeg' }];
    tx.put('devices', { ...device, capabilities: { ...FAKE_CAPABILITIES, outputs: ['RTMP'], missing } });
  });
  const lacking = await targets();
  assert.equal(lacking.recommended, null);
  assert.deepEqual([named(lacking, 'device', 'studio').available, lacking.reasons], [false, []]);
  assert.match(named(lacking, 'device', 'studio').reason.message, /cannot do Publishing HLS \/ TS: .+ needs ffmpeg/u);
  await app.store.tx((tx) =>
    tx.put('devices', { ...tx.get('devices', 1)!, capabilities: FAKE_CAPABILITIES, cores: 0.2 }),
  );
  const full = named(await targets(), 'device', 'studio');
  assert.equal(full.reason.code, 'no_capacity');
  assert.match(
    full.reason.message,
    /has 0\.15 cores free \(0 of 0 slots used\), of the about 0\.\d\d .+, more than it has when nothing runs/u,
  );
});

test('a place that the Live stream is not configured for is possible, but not recommended', async () => {
  const away = await addDevice('attic');
  const group = await addGroup('Attics', [away]);
  await configure({ idEncoderGroup: group });
  const grouped = await targets();
  assert.equal(grouped.recommended, null);
  assert.equal(grouped.targets[0].start.deviceId, 1);
  assert.deepEqual([grouped.targets[0].available, grouped.targets[0].reason.code], [true, 'wrong_group']);
  assert.match(grouped.message, /Device "studio" could take it/u);
  await configure({ idEncoderGroup: null, deviceId: away });
  const pinned = named(await targets(), 'device', 'studio');
  assert.match(pinned.reason.message, /is not Device \d "[^"]+", which the Live stream is pinned to/u);
  const started = await app.run('start_livestream', { livestream: 'Show', ...pinned.start, wait_seconds: 0 });
  assert.equal(started.deviceId, 1, 'as it says: a start that names it goes there');
});

test('Cloud accounts are listed, each with what stands in the way', async () => {
  const account = {
    ...stamps,
    client_id: '7',
    password: 'canary-cloud-token',
    validation_date: null,
    validation_error: null,
  };
  await app.store.tx((tx) => {
    tx.insert('cloudAccounts', { ...account, client: 'old', enabled: false, validation_status: 'UNKNOWN' });
    tx.insert('cloudAccounts', { ...account, client: 'new', enabled: true, validation_status: 'UNKNOWN' });
    tx.insert('cloudAccounts', { ...account, client: 'good', enabled: true, validation_status: 'VALID' });
  });
  const answer = await targets();
  assert.deepEqual(
    ['old', 'new', 'good'].map((name) => named(answer, 'cloud', name).reason.code),
    ['disabled', 'not_validated', 'offline'],
  );
  assert.equal(answer.targets.at(-1).kind, 'cloud');
  assert.ok(!JSON.stringify(answer).includes('canary'));
});

test('what keeps a Live stream from starting anywhere is answered once, and nothing is recommended', async () => {
  await onAir(app);
  const running = await targets();
  assert.deepEqual([running.recommended, running.reasons[0].code], [null, 'already_running']);
  assert.match(running.message, /^"Show" cannot start anywhere now\./u);
  await app.run('stop_livestream', { livestream: 'Show' });
  await configure({ enabled: false });
  assert.deepEqual(
    (await targets()).reasons.map(({ code }: any) => code),
    ['disabled'],
  );
});

test('every profile allows get_start_targets, and a name that fits none is refused with the nearest', async () => {
  for (const { name } of profiles) {
    const answer = await app.run('get_start_targets', { livestream: 'Show' }, { profile: profileByName(name) });
    assert.ok(answer.recommended, name);
  }
  assert.equal((await app.refusal('get_start_targets', { livestream: 'Concert' })).code, 'not_found');
});
