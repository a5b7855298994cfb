import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { startTranscriptionProvider, type TranscriptionProvider } from '../helpers/servers/transcription-provider.ts';
import { fieldsOf, openBench, type Bench } from './bench.ts';

const AT = '2026-01-01T00:00:00.000Z';
const ASKING: [string, object][] = [
  ['getTranscriptionAccount', {}],
  ['getTranscriptionCollections', {}],
  ['getTranscriptionTemplates', {}],
  ['getTranscriptionAssetStatus', { assetId: 'a-1' }],
];

describe('transcription', () => {
  let bench: Bench;
  let provider: TranscriptionProvider;
  beforeEach(async () => {
    bench = await openBench();
    provider = await startTranscriptionProvider();
  });
  afterEach(async () => {
    await provider.close();
    await bench.close();
  });
  const license = (features: ('editor' | 'cloud')[], expires_at: string | null = null) =>
    bench.store.tx((tx) => {
      const stamps = { created_at: AT, updated_at: AT, issued_at: AT };
      const licence_id = `L${tx.find('licences', {}).total}`;
      tx.insert('licences', { ...stamps, licence_id, customer: 'Station', features, quantity: 1, expires_at, jws: '' });
    });
  const configure = (fields: object = {}) =>
    bench.data('updateTranscriptionConfig', { tenant_url: provider.url, api_key: provider.apiKey, ...fields });

  it('is set up without a licence, step by step, and never answers its key', async () => {
    const empty = await bench.call('getTranscriptionConfig', {}, { user: 'operator' });
    assert.deepEqual(empty.body, {
      data: {
        tenant_url: null,
        default_collection: null,
        default_template: null,
        has_api_key: false,
        updated_at: null,
      },
    });
    const first = await bench.call('updateTranscriptionConfig', { tenant_url: provider.url });
    assert.deepEqual([first.status, first.etag], [200, '"1"']);
    await configure({ default_collection: 'c1' });
    bench.clock.advance(60_000);
    await bench.data('updateTranscriptionConfig', { default_template: 't1', tenant_url: provider.url });
    const shown = await bench.call('getTranscriptionConfig');
    assert.equal(shown.etag, '"3"');
    assert.deepEqual((shown.body as any).data, {
      tenant_url: provider.url,
      default_collection: 'c1',
      default_template: 't1',
      has_api_key: true,
      updated_at: '2026-01-01T00:01:00.000Z',
    });
    await bench.data('updateTranscriptionConfig', { api_key: null, default_collection: null });
    const { row } = (await bench.store.get('transcription', 1)) ?? assert.fail();
    assert.deepEqual([row.api_key, row.default_collection, row.default_template], [null, null, 't1']);
    assert.ok(!JSON.stringify((await bench.store.find('audit', {})).rows).includes('canary'));
  });

  it('is changed by Administrators alone, and by nobody who has seen older settings', async () => {
    await bench.refused('forbidden', 'updateTranscriptionConfig', {}, { user: 'operator' });
    await configure();
    await bench.refused('version_mismatch', 'updateTranscriptionConfig', {}, { ifMatch: '"7"' });
    await bench.call('updateTranscriptionConfig', { default_template: 't1' }, { ifMatch: '"1"' });
  });

  it('refuses settings that cannot work, and repeats no key', async () => {
    const refusals: [object, string][] = [
      [{ tenant_url: 'ftp://example.org' }, 'tenant_url'],
      [{ tenant_url: 'https://user:canary@example.org' }, 'tenant_url'],
      [{ tenant_url: 'https://example.org/?key=canary' }, 'tenant_url'],
      [{ tenant_url: 'somewhere' }, 'tenant_url'],
      [{ api_key: 'canary\nX-Evil: 1' }, 'api_key'],
      [{ api_key: '' }, 'api_key'],
      [{ default_collection: 'x'.repeat(256) }, 'default_collection'],
      [{ region: 'eu' }, 'region'],
    ];
    for (const [input, field] of refusals) {
      const error = await bench.refused('invalid_input', 'updateTranscriptionConfig', input);
      assert.deepEqual(fieldsOf(error), [field]);
      assert.ok(!JSON.stringify([error.message, error.extras]).includes('canary'), error.message);
    }
  });

  it('asks the provider only with the licence feature editor in force', async () => {
    await configure();
    await license(['cloud']);
    await license(['editor'], '2026-01-01T00:01:00.000Z');
    assert.equal((await bench.data('getTranscriptionAccount'))['account_id'], 'acc-1');
    bench.clock.advance(60_000);
    for (const [operation, args] of ASKING) {
      const error = await bench.refused('forbidden', operation, args);
      assert.match(error.message, /feature editor.*installLicense/u);
    }
    assert.equal(provider.paths.length, 1);
  });

  it('says what is missing while it is not set up', async () => {
    await license(['editor']);
    const missing = async (): Promise<string[]> =>
      fieldsOf(await bench.refused('rule_violated', 'getTranscriptionAccount'));
    assert.deepEqual(await missing(), ['tenant_url', 'api_key']);
    await configure({ api_key: null });
    assert.deepEqual(await missing(), ['api_key']);
    for (const [operation, args] of ASKING)
      assert.match((await bench.refused('rule_violated', operation, args)).message, /updateTranscriptionConfig/u);
  });

  it('answers what the provider has, to both roles', async () => {
    await license(['editor']);
    await configure();
    const user = 'operator';
    assert.equal((await bench.data('getTranscriptionAccount', {}, { user }))['minutes_included'], 600);
    assert.deepEqual(await bench.ids('getTranscriptionCollections'), ['c1', 'c2', 'c3']);
    assert.deepEqual((await bench.call('getTranscriptionTemplates', {}, { user })).body, {
      rows: [{ id: 't1', name: 'English captions' }],
      pagination: { page: 1, pageSize: 100, total: 1, totalPages: 1 },
    });
    const status = await bench.data('getTranscriptionAssetStatus', { assetId: 'a-1' }, { user });
    assert.deepEqual([status['status'], status['progress'], status['error']], ['processing', 40, null]);
    await bench.refused('not_found', 'getTranscriptionAssetStatus', { assetId: 'a-9' });
  });

  it('pages, sorts and searches the lists of the provider', async () => {
    await license(['editor']);
    await configure();
    const ids = (args: object): Promise<unknown> => bench.ids('getTranscriptionCollections', args);
    assert.deepEqual(await ids({ search: 'n' }), ['c2', 'c3']);
    assert.deepEqual(await ids({ sort: '-name' }), ['c1', 'c2', 'c3']);
    assert.deepEqual(await ids({ sort: 'name', pageSize: 2, page: 2 }), ['c1']);
    assert.deepEqual(await ids({ page: 9 }), []);
    assert.deepEqual(await bench.rows('getTranscriptionCollections', { fields: 'name', pageSize: 1 }), [
      { id: 'c1', name: 'Sport' },
    ]);
    await bench.refused('invalid_input', 'getTranscriptionCollections', { sort: 'created' });
  });

  it('takes no id that would name another place at the provider', async () => {
    await license(['editor']);
    await configure();
    for (const assetId of ['..', '../account', 'a/b', '', 'x'.repeat(256), 'a?b'])
      assert.deepEqual(fieldsOf(await bench.refused('invalid_input', 'getTranscriptionAssetStatus', { assetId })), [
        'assetId',
      ]);
    assert.deepEqual(provider.paths, []);
  });

  it('passes on that the provider fails, with its words and without the key', async () => {
    await license(['editor']);
    await configure({ api_key: 'canary-wrong-key' });
    const error = await bench.refused('upstream_failed', 'getTranscriptionAccount');
    assert.match(error.extras.upstream ?? '', /unknown key Bearer \*\*\*\*/u);
    assert.ok(!JSON.stringify([error.message, error.extras]).includes('canary'));
    provider.apiKey = 'canary-wrong-key';
    provider.fault = 'outside';
    await bench.refused('upstream_failed', 'getTranscriptionTemplates');
  });
});
