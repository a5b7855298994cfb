import assert from 'node:assert/strict';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { until } from '../helpers/until.ts';
import { startKeyServer, type KeyServer } from '../helpers/servers/key-server.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

const URL = 'https://keys.example.org/speke/v2.0/copyProtection';
const PASSWORD = 'canary-password';
const hex = (digit: string): string => digit.repeat(32);
const STATIC = { name: 'Keys', provider_type: 'STATIC', credentials: { keys: [{ kid: hex('A'), key: hex('C') }] } };
const SPEKE = {
  name: 'Server',
  provider_type: 'SPEKE',
  speke_url: URL,
  credentials: { username: 'onair', password: PASSWORD },
};

describe('DRM providers', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());
  const stored = async () => (await app.store.get('drmProviders', 1))?.row ?? assert.fail('nothing stored');

  it('DRM providers are created, listed and shown without their credentials', async () => {
    const added = await app.call('addDrmProvider', { ...SPEKE, speke_url: `${URL}?token=canary-token` });
    assert.equal(added.status, 201);
    await app.data('addDrmProvider', {
      ...STATIC,
      credentials: { keys: [{ kid: hex('A'), key: `${hex('C').slice(6)}caca00`, contentid: 'canary-content' }] },
    });
    const shown = await app.call('getDrmProviderById', { providerId: 1 });
    const listed = await app.call('getAllDrmProviders');
    for (const { body } of [added, shown, listed])
      assert.ok(!/canary|caca00/u.test(JSON.stringify(body)), JSON.stringify(body));
    assert.deepEqual((shown.body as any).data, {
      id: 1,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      name: 'Server',
      provider_type: 'SPEKE',
      speke_url: `${URL}?token=****`,
      tenant_id: null,
      enabled: true,
      supported_systems: ['WIDEVINE', 'PLAYREADY', 'FAIRPLAY'],
      encrypt_keys: false,
      has_credentials: true,
      certificate: null,
      validation_status: 'UNKNOWN',
      validation_date: null,
      validation_error: null,
    });
    assert.deepEqual(await app.ids('getAllDrmProviders', { provider_type: 'STATIC' }), [2]);
    assert.deepEqual(await app.ids('getAllDrmProviders', { enabled: false }), []);
    assert.equal(
      (await app.data('addDrmProvider', { ...SPEKE, name: 'Open', credentials: null }))['has_credentials'],
      false,
    );
  });

  it('a DRM provider with encrypt_keys shows its certificate and never its private key, and keeps both until it is switched off', async () => {
    const { certificate } = await app.data('addDrmProvider', { ...SPEKE, encrypt_keys: true });
    const pair = (await stored()).delivery_key!;
    const { publicKey } = new X509Certificate(String(certificate));
    assert.ok(createPublicKey(pair.private_key).equals(publicKey));
    const changed = await app.call('updateDrmProvider', { providerId: 1, tenant_id: 'other' });
    assert.deepEqual((await stored()).delivery_key, pair);
    const [secret] = pair.private_key.split('\n').slice(3);
    const answers = [
      changed.body,
      await app.rows('getAllDrmProviders', { fields: '*' }),
      await app.rows('getAuditLog', {}),
    ];
    assert.ok(!JSON.stringify(answers).includes(secret!), 'the private key is shown');
    await app.data('updateDrmProvider', { providerId: 1, encrypt_keys: false });
    assert.equal((await stored()).delivery_key, null);
    const renewed = await app.data('updateDrmProvider', { providerId: 1, encrypt_keys: true });
    assert.notEqual(renewed['certificate'], certificate);
    const refused = await app.refused('invalid_input', 'addDrmProvider', { ...STATIC, encrypt_keys: true });
    assert.deepEqual(fieldsOf(refused), ['encrypt_keys']);
    const other = { provider_type: 'STATIC', credentials: { ...STATIC.credentials, username: null, password: null } };
    const now = await app.data('updateDrmProvider', { providerId: 1, speke_url: null, tenant_id: null, ...other });
    assert.deepEqual([now['encrypt_keys'], now['certificate']], [false, null]);
  });

  it('a DRM provider of an earlier version has keys in the clear, and keeps its validation when its name changes', async () => {
    await app.data('addDrmProvider', SPEKE);
    await app.store.tx((tx) => {
      const { encrypt_keys: _encrypt, delivery_key: _key, ...row } = tx.get('drmProviders', 1)!;
      tx.put('drmProviders', { ...row, validation_status: 'VALID', validation_date: '2026-01-01T00:00:00.000Z' });
    });
    const shown = await app.data('getDrmProviderById', { providerId: 1 });
    assert.deepEqual([shown['encrypt_keys'], shown['certificate']], [false, null]);
    const named = await app.data('updateDrmProvider', { providerId: 1, name: 'Renamed' });
    assert.equal(named['validation_status'], 'VALID');
  });

  it('DRM providers say all that does not fit their type at once', async () => {
    const refusals: [object, string[]][] = [
      [{ ...SPEKE, speke_url: null }, ['speke_url']],
      [
        { ...SPEKE, speke_url: 'ftp://keys.example.org', credentials: { username: 'x' } },
        ['speke_url', 'credentials.password'],
      ],
      [{ ...SPEKE, speke_url: `https://user:${PASSWORD}@keys.example.org/` }, ['speke_url']],
      [
        { ...SPEKE, credentials: { ...STATIC.credentials, password: PASSWORD, api_key: 'canary' } },
        ['credentials.keys', 'credentials.username', 'credentials.api_key'],
      ],
      [{ ...SPEKE, credentials: { api_key: 'canary\nX-Evil: 1' } }, ['credentials.api_key']],
      [{ ...SPEKE, credentials: { username: 'a:b', password: PASSWORD } }, ['credentials.username']],
      [
        { ...STATIC, speke_url: URL, tenant_id: 't', credentials: { password: PASSWORD } },
        ['speke_url', 'tenant_id', 'credentials.password', 'credentials.keys'],
      ],
      [
        {
          ...STATIC,
          credentials: {
            keys: [
              { kid: hex('a'), key: 'canary' },
              { kid: 'x', key: hex('1') },
            ],
          },
        },
        ['credentials.keys.0.key', 'credentials.keys.1.kid'],
      ],
      [
        {
          ...STATIC,
          credentials: {
            keys: [
              { kid: hex('a'), key: hex('1'), contentid: 'x' },
              { kid: hex('A'), key: hex('1') },
            ],
          },
        },
        ['credentials.keys.1.kid'],
      ],
      [
        {
          ...STATIC,
          credentials: {
            keys: [
              { kid: hex('a'), key: hex('1') },
              { kid: hex('b'), key: hex('1') },
            ],
          },
        },
        ['credentials.keys.1.track'],
      ],
      [{ ...STATIC, supported_systems: ['WIDEVINE', 'WIDEVINE'] }, ['supported_systems.1']],
      [{ ...STATIC, supported_systems: ['Widevine'] }, ['supported_systems.0']],
      [{ ...STATIC, keys: [] }, ['keys']],
    ];
    for (const [input, fields] of refusals) {
      const error = await app.refused('invalid_input', 'addDrmProvider', input);
      assert.deepEqual(fieldsOf(error), fields, JSON.stringify(input));
      assert.ok(!JSON.stringify([error.message, error.extras]).includes('canary'), error.message);
    }
    const audit = JSON.stringify((await app.store.find('audit', {})).rows);
    assert.ok(audit.includes('credentials') && !audit.includes('canary'), audit);
  });

  it('DRM providers merge a change, clear with null, and are untried again after a change of what was tried', async () => {
    await app.data('addDrmProvider', SPEKE);
    const tried = async (): Promise<void> => {
      const row = await stored();
      await app.store.tx((tx) =>
        tx.put('drmProviders', { ...row, validation_status: 'VALID', validation_date: '2026-01-01T00:00:00.000Z' }),
      );
    };
    const statusAfter = async (change: object): Promise<unknown> => {
      await tried();
      return (await app.data('updateDrmProvider', { providerId: 1, ...change }))['validation_status'];
    };
    assert.equal(await statusAfter({ name: 'Other', enabled: false, speke_url: URL, credentials: {} }), 'VALID');
    assert.equal(await statusAfter({ credentials: { username: 'new' } }), 'UNKNOWN');
    assert.deepEqual((await stored()).credentials, { username: 'new', password: PASSWORD, api_key: null, keys: [] });
    assert.equal(await statusAfter({ tenant_id: 't' }), 'UNKNOWN');
    assert.equal(await statusAfter({ supported_systems: ['WIDEVINE'] }), 'UNKNOWN');
    assert.equal(await statusAfter({ credentials: { username: null, password: null, api_key: 'canary' } }), 'UNKNOWN');
    assert.equal(await statusAfter({ credentials: null, tenant_id: null }), 'UNKNOWN');
    assert.deepEqual([(await stored()).credentials, (await stored()).tenant_id], [null, null]);
    await app.refused('invalid_input', 'updateDrmProvider', { providerId: 1, speke_url: null });
  });

  it('DRM providers change their type: what belongs to the other one goes', async () => {
    await app.data('addDrmProvider', { ...SPEKE, tenant_id: 't' });
    await app.data('updateDrmProvider', { providerId: 1, provider_type: 'STATIC', credentials: STATIC.credentials });
    const { speke_url, tenant_id, credentials } = await stored();
    assert.deepEqual(
      [speke_url, tenant_id, credentials?.password, credentials?.keys[0]?.kid],
      [null, null, null, hex('a')],
    );
    await app.refused('invalid_input', 'updateDrmProvider', { providerId: 1, provider_type: 'SPEKE' });
    await app.data('updateDrmProvider', { providerId: 1, provider_type: 'SPEKE', speke_url: URL });
    assert.deepEqual((await stored()).credentials?.keys, []);
  });

  describe('the validation', () => {
    let server: KeyServer;
    beforeEach(async () => {
      server = await startKeyServer({ authorization: `Basic ${Buffer.from(`onair:${PASSWORD}`).toString('base64')}` });
      await app.data('addDrmProvider', { ...SPEKE, speke_url: server.url });
    });
    afterEach(() => server.close());

    it('DRM providers are VALID by a key that the server really delivers, INVALID with its reason', async () => {
      const valid = await app.call('validateDrmProvider', { providerId: 1 });
      const facts = ({ data }: any): unknown[] => [data.validation_status, data.validation_date, data.validation_error];
      assert.equal(valid.status, 200);
      assert.deepEqual(facts(valid.body), ['VALID', '2026-01-01T00:00:00.000Z', null]);
      assert.equal(server.requests.length, 1);
      server.fault = 'echo';
      const invalid = await app.call('validateDrmProvider', { providerId: 1 });
      assert.equal(invalid.status, 200);
      assert.equal((await stored()).validation_status, 'INVALID');
      assert.match((await stored()).validation_error ?? '', /HTTP 400.*It said: cannot serve Basic \*\*\*\*/u);
      const everywhere = JSON.stringify([invalid.body, (await app.store.find('audit', {})).rows]);
      assert.ok(!everywhere.includes('canary'), everywhere);
    });

    it('DRM providers keep no outcome of a validation that belongs to what they were before', async () => {
      server.fault = 'silence';
      const pending = app.refused('conflict', 'validateDrmProvider', { providerId: 1 });
      await app.data('updateDrmProvider', { providerId: 1, tenant_id: 'other' });
      await server.close();
      await pending;
      assert.equal((await stored()).validation_status, 'UNKNOWN');
    });

    it('DRM providers keep no outcome of a validation whose caller has gone', async () => {
      server.fault = 'silence';
      const caller = new AbortController();
      const pending = app.refused('timeout', 'validateDrmProvider', { providerId: 1 }, { signal: caller.signal });
      setImmediate(() => caller.abort());
      await pending;
      assert.equal((await stored()).validation_status, 'UNKNOWN');
    });

    it('DRM providers are VALID when STATIC keys are found', async () => {
      await app.data('addDrmProvider', STATIC);
      assert.equal((await app.data('validateDrmProvider', { providerId: 2 }))['validation_status'], 'VALID');
    });
  });

  describe('the DRM of a Publishing', () => {
    const drm = { provider_id: 1, contentid: 'news', systems: ['Widevine'] };
    const add = (type: string, fields: object = {}) => ({ name: type, type, drm: { ...drm, ...fields } });
    beforeEach(
      async () => void (await app.data('addDrmProvider', { ...STATIC, supported_systems: ['WIDEVINE', 'FAIRPLAY'] })),
    );

    it('Publishings with a DRM provider answer the encryption mode in force', async () => {
      const mode = (row: any): unknown => row.drm.encryption_mode;
      assert.equal(mode(await app.data('addPublishing', add('CMAF'))), 'cenc');
      const change = (fields: object) => app.data('updatePublishing', { publishingId: 1, drm: fields });
      assert.equal(mode(await change({ systems: ['Widevine', 'Fairplay'] })), 'cbcs');
      const shown: any = await app.data('getPublishingById', { publishingId: 1 });
      assert.equal(
        mode(await app.data('updatePublishing', { publishingId: 1, drm: { ...shown.drm, systems: ['Widevine'] } })),
        'cenc',
      );
      assert.equal(mode(await change({ encryption_mode: 'cbcs' })), 'cbcs');
      assert.equal(mode(await change({ encryption_mode: null })), 'cenc');
      assert.equal((await app.data('updatePublishing', { publishingId: 1, drm: null }))['drm'], null);
    });

    it('DRM providers are refused for a Publishing where they do not exist, are disabled or lack a system', async () => {
      const fields = async (input: object): Promise<string[]> =>
        fieldsOf(await app.refused('rule_violated', 'addPublishing', input));
      assert.deepEqual(await fields(add('CMAF', { provider_id: 9 })), ['drm.provider_id']);
      assert.deepEqual(await fields(add('CMAF', { systems: ['Widevine', 'Playready'] })), ['drm.systems.1']);
      await app.data('addPublishing', add('DASH'));
      await app.data('updateDrmProvider', { providerId: 1, enabled: false });
      assert.deepEqual(await fields(add('CMAF')), ['drm.provider_id']);
      await app.data('addPublishing', add('CMAF', { active: false }));
      await app.data('updatePublishing', { publishingId: 1, description: 'no matter of the provider' });
    });

    it('DRM providers are refused by Publishing types that cannot carry a system, with what would work', async () => {
      const refused = async (input: object, field: string, pattern: RegExp): Promise<void> => {
        const error = await app.refused('rule_violated', 'addPublishing', input);
        assert.deepEqual(fieldsOf(error), [field]);
        assert.match(error.message, pattern);
      };
      const settings = { url: 'rtmp://live.example.org/app' };
      await refused({ ...add('RTMP'), settings }, 'drm', /type RTMP cannot be encrypted; use DASH, CMAF/u);
      for (const systems of [['Widevine'], ['Fairplay']])
        await refused(add('HLS / TS', { systems }), 'drm', /type HLS \/ TS cannot be encrypted; use DASH, CMAF/u);
      await refused(
        add('DASH', { systems: ['Fairplay'] }),
        'drm.systems.0',
        /Widevine and Playready; use type CMAF for Fairplay/u,
      );
      await refused(add('CMAF', { systems: ['Widevine', 'Widevine'] }), 'drm.systems.1', /named twice/u);
      const mixed = add('CMAF', { systems: ['Widevine', 'Fairplay'], encryption_mode: 'cenc' });
      await refused(mixed, 'drm.encryption_mode', /Fairplay needs cbcs, which Widevine and Playready take too/u);
      await app.data('addPublishing', add('DASH', { encryption_mode: 'cbcs' }));
    });

    it('DRM providers of a Publishing cannot be deleted, nor lose a system that it advertises', async () => {
      await app.data('addPublishing', add('CMAF'));
      const error = await app.refused('in_use', 'deleteDrmProvider', { providerId: 1 });
      assert.deepEqual(error.extras.facts?.['users'], [{ resource: 'Publishing', id: 1, name: 'CMAF' }]);
      const lost = await app.refused('rule_violated', 'updateDrmProvider', {
        providerId: 1,
        supported_systems: ['FAIRPLAY'],
      });
      assert.deepEqual(fieldsOf(lost), ['supported_systems']);
      assert.match(lost.message, /Publishing 1 "CMAF" advertises Widevine/u);
      await app.data('updateDrmProvider', { providerId: 1, supported_systems: ['WIDEVINE'] });
      await app.data('updatePublishing', { publishingId: 1, drm: null });
      await app.data('deleteDrmProvider', { providerId: 1 });
    });

    it('a Publishing with DRM is never delivered unencrypted', async () => {
      const { livestreamId, publishingId } = await addBroadcast(app);
      const encrypt = (active: boolean) =>
        app.data('updatePublishing', { publishingId, type: 'CMAF', drm: { ...drm, active } });
      // This app has no key service: what is to be encrypted gets no keys, and with that nothing at all.
      await encrypt(true);
      await app.call('startLivestream', { livestreamId });
      const run = await until('the start fails', async () => {
        const row = (await app.store.get('runs', livestreamId))?.row;
        return row?.status === 3 && row;
      });
      assert.match(run.errorstatus!, /^Destination "Web" got no content keys/u);
      assert.deepEqual(app.device.runIds, []);
      // A path that is off can be switched on while the stream runs: its keys are needed, too.
      const startConfig = [{ publishingId, primary: false, backup: false }];
      await app.data('updateDrmProvider', { providerId: drm.provider_id, enabled: false });
      const off = await app.refused('rule_violated', 'startLivestream', { livestreamId, startConfig });
      assert.match(off.message, /Destination "Web" is to be encrypted, and its DRM provider .* is disabled/u);
      await app.data('updateDrmProvider', { providerId: drm.provider_id, enabled: true });
      // As an earlier version stored it.
      await app.store.tx((tx) => {
        const row = tx.get('publishings', publishingId)!;
        tx.put('publishings', { ...row, type: 'HLS / TS', drm: { ...row.drm!, systems: ['Fairplay'] } });
      });
      const { reasons } = await app.data('getLivestreamStartConfig', { livestreamId });
      assert.equal((reasons as { code: string }[])[0]?.code, 'unsupported');
      const lacking = await app.refused('unsupported_by_device', 'startLivestream', { livestreamId });
      assert.match(lacking.message, /type HLS \/ TS cannot be encrypted; use DASH, CMAF/u);
      await app.data('updatePublishing', { publishingId, type: 'CMAF', drm: null });
      await app.call('startLivestream', { livestreamId });
      const onAir = { publishingId, drm: { ...drm, systems: ['Fairplay'] } };
      assert.deepEqual(fieldsOf(await app.refused('rule_violated', 'updatePublishing', onAir)), ['drm.active']);
    });
  });
});
