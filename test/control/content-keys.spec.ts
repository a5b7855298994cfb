/** Content keys of a start: from a real key server to the Device, and nowhere else. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createControl, type ControlRuntime } from '../../control/control.ts';
import type { AssetFiles } from '../../domain/ports/control.ts';
import { contentKeyId } from '../../domain/shapes/destinations/content-key-id.ts';
import type { DrmProvider } from '../../domain/shapes/destinations/drm-provider.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Integrations } from '../../domain/shapes/installation/integrations.ts';
import type { Publishing } from '../../domain/shapes/destinations/publishing.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { Store } from '../../domain/ports/store.ts';
import { createIntegrations } from '../../integrations/integrations.ts';
import { openStore } from '../../store/open.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { FAKE_CAPABILITIES, FakeDevice } from '../helpers/fake-device.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { startKeyServer, type KeyServer } from '../helpers/servers/key-server.ts';
import { until } from '../helpers/until.ts';
import { silentLog } from '../helpers/silent-log.ts';
const files = { path: (bucket: string, name: string) => `/assets/${bucket}/${name}` } as AssetFiles;
const AT = '2026-01-01T00:00:00.000Z';
const [PICTURE, SOUND] = [contentKeyId('show', 'VIDEO'), contentKeyId('show', 'AUDIO')];

describe('content keys', () => {
  let store: Store;
  let clock: FakeClock;
  let device: FakeDevice;
  let control: ControlRuntime;
  let keyServer: KeyServer;
  let livestreamId: number;
  let providerId: number;

  beforeEach(async () => {
    clock = new FakeClock();
    store = await openStore({ dir: '', clock, kind: 'memory' });
    livestreamId = await seedBroadcast(store);
    device = new FakeDevice({ now: () => new Date(clock.now()).toISOString() });
    keyServer = await startKeyServer({ authorization: 'Bearer canary-api-key' });
    await begin(createIntegrations({ clock }));
    providerId = await store.tx((tx) => tx.insert('drmProviders', provider(keyServer.url)).id);
    await encrypt({ systems: ['Widevine', 'Playready', 'Fairplay'] });
  });
  afterEach(async () => {
    control.close();
    await store.close();
    await keyServer.close();
  });

  async function begin(
    integrations: Pick<Integrations, 'requestKeys'> | undefined,
    assetFiles: AssetFiles = files,
  ): Promise<void> {
    control = await createControl({ store, clock, log: silentLog, assetFiles, integrations });
    await control.attachLocalDevice(device, 'here');
  }

  function provider(url: string): Omit<DrmProvider, 'id'> {
    return {
      created_at: AT,
      updated_at: AT,
      name: 'Vault',
      provider_type: 'SPEKE',
      speke_url: url,
      tenant_id: null,
      enabled: true,
      supported_systems: ['WIDEVINE', 'PLAYREADY', 'FAIRPLAY'],
      credentials: { username: null, password: null, api_key: 'canary-api-key', keys: [] },
      validation_status: 'UNKNOWN',
      validation_date: null,
      validation_error: null,
    };
  }

  /** The one Destination; `more` on top of a CMAF one. */
  async function encrypt(drm: Partial<NonNullable<Publishing['drm']>>, more: Partial<Publishing> = {}): Promise<void> {
    const systems: NonNullable<Publishing['drm']>['systems'] = ['Widevine'];
    const whole = { active: true, provider_id: providerId, contentid: 'show', systems, encryption_mode: null, ...drm };
    await store.tx((tx) => tx.put('publishings', { ...tx.get('publishings', 1)!, type: 'CMAF', drm: whole, ...more }));
  }

  const start = (): Promise<unknown> =>
    store.tx((tx) =>
      control.orderStart(tx, new Date(clock.now()).toISOString(), livestreamId, {}, { username: 'admin' }),
    );
  const runRow = async (): Promise<Run> => (await store.get('runs', livestreamId))!.row;
  const failed = async (): Promise<string> => {
    await until('status 3', async () => (await runRow()).status === 3);
    assert.deepEqual(device.runIds, [], 'no run has begun');
    return (await runRow()).errorstatus!;
  };
  const atDevice = (): Promise<string> => until('a run at the Device', () => device.runIds.at(-1));
  const refusalOf = async (): Promise<string> => {
    const error = await start().then(
      () => assert.fail('was accepted'),
      (reason: unknown) => reason as AppError,
    );
    assert.equal(error.code, 'unsupported_by_device');
    assert.deepEqual(device.runIds, []);
    return error.message;
  };

  it('content keys go from the key server to the Device, once, and are in no row, event or answer', async () => {
    await start();
    const runId = await atDevice();
    const [output] = device.spec(runId).outputs;
    const { drm } = output!;
    assert.equal(drm!.encryption_mode, 'cbcs');
    assert.deepEqual(
      drm!.keys,
      [
        { track: 'VIDEO', kid: PICTURE },
        { track: 'AUDIO', kid: SOUND },
      ].map((key) => ({ ...key, ...keyServer.keyOf(key.kid) })),
    );
    assert.deepEqual(drm!.systems, ['WIDEVINE', 'PLAYREADY', 'FAIRPLAY']);
    assert.equal(drm!.signals.length, 6);
    device.running(runId);
    await until('status 2', async () => (await runRow()).status === 2);
    const { rows: events } = await store.find('events', {});
    const stored = JSON.stringify([await runRow(), events, control.watchAddresses(livestreamId)]);
    for (const { key } of drm!.keys) assert.ok(!stored.includes(key));

    control.close();
    await begin(createIntegrations({ clock }));
    await until('the run is adopted', () => device.runIds.includes(runId));
    assert.equal(keyServer.requests.length, 1, 'a restarted control plane asks for no new keys');
  });

  it('content keys that are replaced are brought a period ahead, those of the run alone, and a key server that is away is told of', async () => {
    await encrypt({ systems: ['Widevine'], rotation_minutes: 15 });
    await start();
    const runId = await atDevice();
    const { rotation, keys } = device.spec(runId).outputs[0]!.drm!;
    const first = Math.floor(clock.now() / 900_000);
    assert.deepEqual(rotation!.source, { providerId, contentid: 'show', tracks: ['VIDEO', 'AUDIO'] });
    assert.deepEqual([rotation!.periodMs, rotation!.periods.map(({ index }) => index)], [900_000, [first]]);
    const kidOf = (index: number): string => contentKeyId('show', 'VIDEO', { lengthMs: 900_000, index });
    assert.equal(keys[0]!.kid, kidOf(first));
    const report = (last: number, present: number, more: object = {}): void => {
      const facts = { publishingId: 1, ...rotation!.source, periodMs: 900_000, systems: ['WIDEVINE' as const] };
      device.tell(runId, { key_rotations: [{ ...facts, encryption_mode: 'cenc', last, present, ...more }] });
    };
    const brought = (): number[] => device.spec(runId).outputs[0]!.drm!.rotation!.periods.map(({ index }) => index);
    const eventually = (what: string, done: () => boolean, again: () => void): Promise<unknown> =>
      until(what, () => {
        again();
        return done();
      });
    device.running(runId);
    await until('status 2', async () => (await runRow()).status === 2);
    await eventually(
      'the next keys',
      () => brought().includes(first + 1),
      () => report(first, first),
    );
    const { periods } = device.spec(runId).outputs[0]!.drm!.rotation!;
    assert.deepEqual(periods[1]!.keys[0], {
      track: 'VIDEO',
      kid: kidOf(first + 1),
      ...keyServer.keyOf(kidOf(first + 1)),
      iv: null,
    });

    // Another content, or one that is not bound: a Device gets no keys by saying so.
    const requests = keyServer.requests.length;
    const warnings = async (): Promise<string[]> =>
      (await store.find('events', { where: { kind: 'keys_missing' } })).rows.map(({ message }) => message);
    report(first + 1, first + 1, { publishingId: 77 });
    await eventually(
      'an event',
      () => true,
      () => report(first + 1, first + 1, { contentid: 'other' }),
    );
    await until('it is told', async () => (await warnings()).length === 1);
    assert.match((await warnings())[0]!, /"Web" got no content keys: its drm was changed since the start/u);
    assert.equal(keyServer.requests.length, requests);

    keyServer.fault = 'failure';
    const wait = (): void => {
      clock.advance(60_000);
      report(first + 2, first + 2);
    };
    // A fake Device tells after a change what it told before.
    const ofPeriod = async (): Promise<string[]> =>
      (await warnings()).filter((message) => message.includes(new Date((first + 3) * 900_000).toISOString()));
    await until('the failure is told', async () => {
      wait();
      return (await ofPeriod()).length > 0;
    });
    assert.match((await ofPeriod())[0]!, /"Vault": The key server .* \(HTTP 500\).* the present ones stay in use/u);
    keyServer.fault = undefined;
    await eventually('keys after all', () => brought().includes(first + 3), wait);
    assert.equal((await ofPeriod()).length, 1, 'once');
    const { rows: events } = await store.find('events', {});
    const stored = JSON.stringify([await runRow(), events]);
    for (const { key } of periods.flatMap((each) => each.keys)) assert.ok(!stored.includes(key));
  });

  it('content keys are kept while a Device is away for a moment', async () => {
    device.refuseStarts(new AppError('unavailable', 'The Device restarts.'));
    await start();
    await until('the Device was asked', () => device.calls.some(({ method }) => method === 'start'));
    device.refuseStarts(undefined);
    await until('another try', async () => {
      clock.advance(500);
      return device.runIds.length > 0;
    });
    assert.equal(device.spec(device.runIds[0]!).outputs[0]!.drm!.keys.length, 2);
    assert.equal(keyServer.requests.length, 1);
  });

  it('content keys that cannot be had fail the start, with the reason and without a secret', async () => {
    keyServer.fault = 'echo';
    await start();
    const reason = await failed();
    assert.match(
      reason,
      /^Destination "Web" got no content keys from DRM provider 1 "Vault": The key server at 127\.0\.0\.1/u,
    );
    const { rows: events } = await store.find('events', {});
    assert.ok(!JSON.stringify([await runRow(), events]).includes('canary'));
  });

  it('a key server that does not answer fails the start, and the failure does not blame the Device', async () => {
    control.close();
    await begin({
      requestKeys: () => Promise.reject(new AppError('timeout', 'The key server did not answer in 10 s.')),
    });
    await start();
    assert.match(await failed(), /"Vault": The key server did not answer in 10 s\./u);
    control.close();
    await begin(undefined);
    await start();
    assert.match(await failed(), /no key service is connected/u);
  });

  it('keys that are refused while a file is brought to this server fail the start, and nothing else', async () => {
    control.close();
    const brought: string[] = [];
    let release!: () => void;
    const isHere = new Promise<void>((resolve) => (release = resolve));
    const bring = (bucket: string, filename: string): Promise<void> => {
      brought.push(`${bucket}/${filename}`);
      return isHere;
    };
    const requestKeys = (): Promise<never> => Promise.reject(new AppError('upstream_failed', 'The keys are refused.'));
    await begin({ requestKeys }, { ...files, bring });
    await store.tx((tx) => {
      const size = { width: 10, height: 10, duration_seconds: null, size_bytes: 1, content_type: 'image/png' };
      tx.insert('assets', { filename: 'bug.png', fileType: 'logos', ...size, created_at: AT, updated_at: AT });
      const logo = { filename: 'bug.png', position: 'Left' } as const;
      tx.put('livestreams', { ...tx.get('livestreams', livestreamId)!, logo });
    });
    await start();
    assert.match(await failed(), /The keys are refused/u);
    assert.deepEqual(brought, ['logos/bug.png']);
    release();
  });

  it('content keys are never asked for when something speaks against the start beforehand', async () => {
    const patch = (row: Partial<DrmProvider>): Promise<unknown> =>
      store.tx((tx) => tx.put('drmProviders', { ...tx.get('drmProviders', providerId)!, ...row }));
    await patch({ enabled: false });
    assert.match(await refusalOf(), /"Web" is to be encrypted, and its DRM provider 1 "Vault" is disabled/u);
    await patch({ enabled: true, supported_systems: ['WIDEVINE'] });
    assert.match(await refusalOf(), /"Vault" does not deliver Playready, Fairplay/u);
    await patch({ supported_systems: ['WIDEVINE', 'PLAYREADY', 'FAIRPLAY'] });
    await encrypt({ systems: ['Fairplay'] }, { type: 'HLS / TS' });
    assert.match(await refusalOf(), /type HLS \/ TS cannot be encrypted; use DASH, CMAF/u);
    await encrypt({});
    await store.tx((tx) => {
      const encoding = tx.get('encodings', 1)!;
      tx.put('encodings', { ...encoding, settings_video: { ...encoding.settings_video, codec: 'av1' } });
    });
    assert.match(await refusalOf(), /cannot be done with av1 of Encoding "720p"; use h264 or hevc/u);
    await store.tx((tx) => {
      const encoding = tx.get('encodings', 1)!;
      tx.put('encodings', { ...encoding, settings_video: { ...encoding.settings_video, codec: 'h264' } });
      tx.delete('drmProviders', providerId);
    });
    assert.match(await refusalOf(), /its DRM provider 1 does not exist any more/u);
    const { encryption: _, ...older } = FAKE_CAPABILITIES;
    device.capabilities = older;
    control.close();
    await begin(undefined);
    await store.tx((tx) => tx.insert('drmProviders', provider(keyServer.url)));
    await encrypt({ provider_id: 2 });
    assert.match(await refusalOf(), /cannot do encryption cenc/u);
    assert.equal(keyServer.requests.length, 0);
  });
});
