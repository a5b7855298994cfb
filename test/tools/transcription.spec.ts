import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { AssetFiles } from '../../domain/ports/control.ts';
import { toProblem } from '../../domain/base/errors.ts';
import type { Recording, RecordingTrack } from '../../domain/shapes/media/recording.ts';
import { recordingRow } from '../helpers/recording-row.ts';
import { makeCountedClip } from '../helpers/counted.ts';
import { until } from '../helpers/until.ts';
import { startTranscriptionProvider, type TranscriptionProvider } from '../helpers/servers/transcription-provider.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

const AT = '2026-01-01T00:00:00.000Z';
const ASKING: [string, object][] = [
  ['getTranscriptionAccount', {}],
  ['getTranscriptionCollections', {}],
  ['getTranscriptionTemplates', {}],
  ['getTranscriptionAssetStatus', { assetId: 'a-1' }],
];

describe('transcription', () => {
  let app: TestApp;
  let provider: TranscriptionProvider;
  beforeEach(async () => {
    app = await startTestApp();
    provider = await startTranscriptionProvider();
  });
  afterEach(async () => {
    await provider.close();
    await app.close();
  });
  const license = (features: ('editor' | 'cloud')[], expires_at: string | null = null) =>
    app.store.tx((tx) => {
      const stamps = { created_at: AT, updated_at: AT, issued_at: AT };
      const licence_id = `L${tx.find('licences', {}).total}`;
      tx.insert('licences', { ...stamps, licence_id, customer: 'Station', features, quantity: 1, expires_at, jws: '' });
    });
  const configure = (fields: object = {}) =>
    app.data('updateTranscriptionConfig', { tenant_url: provider.url, api_key: provider.apiKey, ...fields });

  it('transcription is set up without a licence, step by step, and never answers its key', async () => {
    const empty = await app.call('getTranscriptionConfig', {}, { user: 'operator' });
    assert.deepEqual(empty.body, {
      data: {
        tenant_url: null,
        default_collection: null,
        default_template: null,
        has_api_key: false,
        licensed: false,
        updated_at: null,
      },
    });
    const first = await app.call('updateTranscriptionConfig', { tenant_url: provider.url });
    assert.deepEqual([first.status, first.etag], [200, '"1"']);
    await configure({ default_collection: 'c1' });
    app.clock.advance(60_000);
    await app.data('updateTranscriptionConfig', { default_template: 't1', tenant_url: provider.url });
    const shown = await app.call('getTranscriptionConfig');
    assert.equal(shown.etag, '"3"');
    assert.deepEqual((shown.body as any).data, {
      tenant_url: provider.url,
      default_collection: 'c1',
      default_template: 't1',
      has_api_key: true,
      licensed: false,
      updated_at: '2026-01-01T00:01:00.000Z',
    });
    await app.data('updateTranscriptionConfig', { api_key: null, default_collection: null });
    const { row } = (await app.store.get('transcription', 1)) ?? assert.fail();
    assert.deepEqual([row.api_key, row.default_collection, row.default_template], [null, null, 't1']);
    assert.ok(!JSON.stringify((await app.store.find('audit', {})).rows).includes('canary'));
  });

  it('transcription refuses settings that cannot work, and repeats no key', async () => {
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
      const error = await app.refused('invalid_input', 'updateTranscriptionConfig', input);
      assert.deepEqual(fieldsOf(error), [field]);
      assert.ok(!JSON.stringify([error.message, error.extras]).includes('canary'), error.message);
    }
  });

  it('transcription asks the provider only with the licence feature editor in force', async () => {
    await configure();
    await license(['cloud']);
    await license(['editor'], '2026-01-01T00:01:00.000Z');
    assert.equal((await app.data('getTranscriptionAccount'))['account_id'], 'acc-1');
    app.clock.advance(60_000);
    for (const [operation, args] of ASKING) {
      const error = await app.refused('forbidden', operation, args);
      assert.match(error.message, /feature editor.*installLicense/u);
      assert.match(toProblem(error, 'r').remedy, /install a licence/u);
    }
    assert.equal(provider.paths.length, 1);
  });

  it('transcription says what is missing while it is not set up', async () => {
    await license(['editor']);
    assert.equal((await app.data('getTranscriptionConfig')).licensed, true);
    const missing = async (): Promise<string[]> =>
      fieldsOf(await app.refused('rule_violated', 'getTranscriptionAccount'));
    assert.deepEqual(await missing(), ['tenant_url', 'api_key']);
    await configure({ api_key: null });
    assert.deepEqual(await missing(), ['api_key']);
    for (const [operation, args] of ASKING)
      assert.match((await app.refused('rule_violated', operation, args)).message, /updateTranscriptionConfig/u);
  });

  it('transcription answers what the provider has, to both roles', async () => {
    await license(['editor']);
    await configure();
    const user = 'operator';
    assert.equal((await app.data('getTranscriptionAccount', {}, { user }))['minutes_included'], 600);
    assert.deepEqual(await app.ids('getTranscriptionCollections'), ['c1', 'c2', 'c3']);
    assert.deepEqual((await app.call('getTranscriptionTemplates', {}, { user })).body, {
      rows: [{ id: 't1', name: 'English captions' }],
      pagination: { page: 1, pageSize: 100, total: 1, totalPages: 1 },
    });
    const status = await app.data('getTranscriptionAssetStatus', { assetId: 'a-1' }, { user });
    assert.deepEqual([status['status'], status['progress'], status['error']], ['processing', 40, null]);
    await app.refused('not_found', 'getTranscriptionAssetStatus', { assetId: 'a-9' });
  });

  it('transcription pages, sorts and searches the lists of the provider', async () => {
    await license(['editor']);
    await configure();
    const ids = (args: object): Promise<unknown> => app.ids('getTranscriptionCollections', args);
    assert.deepEqual(await ids({ search: 'n' }), ['c2', 'c3']);
    assert.deepEqual(await ids({ sort: '-name' }), ['c1', 'c2', 'c3']);
    assert.deepEqual(await ids({ sort: 'name', pageSize: 2, page: 2 }), ['c1']);
    assert.deepEqual(await ids({ page: 9 }), []);
    assert.deepEqual(await app.rows('getTranscriptionCollections', { fields: 'name', pageSize: 1 }), [
      { id: 'c1', name: 'Sport' },
    ]);
    await app.refused('invalid_input', 'getTranscriptionCollections', { sort: 'created' });
  });

  it('transcription takes no id that would name another place at the provider', async () => {
    await license(['editor']);
    await configure();
    for (const assetId of ['..', '../account', 'a/b', '', 'x'.repeat(256), 'a?b'])
      assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'getTranscriptionAssetStatus', { assetId })), [
        'assetId',
      ]);
    assert.deepEqual(provider.paths, []);
  });

  it('transcription passes on that the provider fails, with its words and without the key', async () => {
    await license(['editor']);
    await configure({ api_key: 'canary-wrong-key' });
    const error = await app.refused('upstream_failed', 'getTranscriptionAccount');
    assert.match(error.extras.upstream ?? '', /unknown key Bearer \*\*\*\*/u);
    assert.ok(!JSON.stringify([error.message, error.extras]).includes('canary'));
    provider.apiKey = 'canary-wrong-key';
    provider.fault = 'outside';
    await app.refused('upstream_failed', 'getTranscriptionTemplates');
  });

  describe('the hand-off', () => {
    const scratch = mkdtempSync(join(tmpdir(), 'onair-hand-off-'));
    const media = join(scratch, 'show.mp4');
    before(() => void makeCountedClip(media, 90));
    after(() => rmSync(scratch, { recursive: true, force: true }));
    const TRACKS: RecordingTrack[] = [
      { trackId: 1, kind: 'video', codec: 'h264', language: null, bitrate_kbps: 900, width: 320, height: 180 },
      { trackId: 2, kind: 'audio', codec: 'mp4a', language: 'deu', bitrate_kbps: 128, width: null, height: null },
    ];

    async function record(fields: Partial<Recording> = {}): Promise<number> {
      const key = { livestreamId: 41, runId: 'run-1', publishingId: 7 };
      const ended_at = '2026-01-01T00:00:03.000Z';
      app.device.putRecording(key, { state: 'finished', tracks: TRACKS, ended_at, duration_seconds: 3 }, [media]);
      const report = { name: 'News at ten', livestream_name: 'News', deviceId: app.deviceId };
      const measures = { ended_at, duration_seconds: 3, size_bytes: 1, tracks: TRACKS };
      const row = recordingRow({ ...key, ...report, ...measures, ...fields });
      return (await app.store.tx((tx) => tx.insert('recordings', row))).id;
    }
    const ready = async (): Promise<void> => {
      await license(['editor']);
      await configure({ default_collection: 'c1' });
    };
    const only = (): { announced: Record<string, unknown>; content: Buffer | undefined } => {
      const [handed] = [...provider.handed.values()];
      return handed ?? assert.fail('nothing was handed over');
    };

    it('the hand-off sends a Recording with what is known of it, and its status can be asked for', async () => {
      await ready();
      const recordingId = await record();
      const args = { recordingId, template: 't1' };
      const data = await app.data('handOffToTranscription', args, { user: 'operator' });
      const content = readFileSync(media);
      const sha256 = createHash('sha256').update(content).digest('hex');
      assert.deepEqual([data['collection'], data['template'], data['sha256']], ['c1', 't1', sha256]);
      const { announced, content: taken } = only();
      assert.ok(taken?.equals(content), 'every byte');
      assert.deepEqual([announced['title'], announced['language']], ['News at ten', 'deu']);
      assert.deepEqual(announced['source'], {
        recordingId,
        livestreamId: 41,
        livestream_name: 'News',
        tracks: TRACKS,
        started_at: AT,
        ended_at: '2026-01-01T00:00:03.000Z',
      });
      const status = await app.data('getTranscriptionAssetStatus', { assetId: data['asset_id'] });
      assert.equal(status['status'], 'queued');
      assert.ok(!JSON.stringify((await app.store.find('audit', {})).rows).includes('canary'));
    });

    it('the hand-off sends a clip, which knows what it was cut out of', async () => {
      await ready();
      const recordingId = await record();
      const { id: _, ...row } = { ...(await app.store.get('recordings', recordingId))!.row };
      await app.store.tx((tx) => {
        const data = { recordingId, filename: 'goal.mp4', in: 1, out: 2 };
        tx.insert('events', {
          at: AT,
          livestreamId: row.livestreamId,
          kind: 'clip_created',
          severity: 'info',
          message: '',
          data,
        });
      });
      await app.data('createClip', { recordingId, in: 1, out: 2, filename: 'goal.mp4' });
      const brought: string[] = [];
      (app.control.assetFiles as AssetFiles).bring = (...file) => Promise.resolve(void brought.push(file.join('/')));
      await app.data('handOffToTranscription', { filename: 'goal.mp4', collection: null });
      assert.deepEqual(brought, ['clips/goal.mp4']);
      const { announced } = only();
      assert.deepEqual([announced['title'], announced['collection']], ['goal', null]);
      const source = announced['source'] as Record<string, unknown>;
      assert.deepEqual([source['recordingId'], source['started_at']], [recordingId, '2026-01-01T00:00:01.000Z']);
    });

    it('the hand-off sends again what broke off, as one asset', async () => {
      await ready();
      provider.cuts = 1;
      await app.data('handOffToTranscription', { recordingId: await record() });
      assert.deepEqual([provider.uploads, provider.handed.size], [2, 1]);
      assert.ok(only().content?.equals(readFileSync(media)), 'every byte');
    });

    it('the hand-off leaves nothing at the provider when it cannot be sent, and says why', async () => {
      await ready();
      const recordingId = await record();
      const error = await app.refused('rule_violated', 'handOffToTranscription', { recordingId, collection: 'c9' });
      assert.match(error.extras.upstream ?? '', /no such collection/u);
      const controller = new AbortController();
      provider.cuts = 9;
      const before = provider.uploads;
      void until('an upload that is cut', () => provider.uploads > before).then(() => controller.abort());
      await app.refused('timeout', 'handOffToTranscription', { recordingId }, { signal: controller.signal });
      await until('it is forgotten there', () => provider.handed.size === 0);
    });

    it('the hand-off is refused without licence or set-up, and for what is not whole', async () => {
      const recordingId = await record();
      await app.refused('forbidden', 'handOffToTranscription', { recordingId });
      await license(['editor']);
      await app.refused('rule_violated', 'handOffToTranscription', { recordingId });
      await configure();
      for (const args of [{}, { recordingId, filename: 'goal.mp4' }])
        assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'handOffToTranscription', args)), ['recordingId']);
      await app.refused('not_found', 'handOffToTranscription', { recordingId: 999 });
      await app.refused('not_found', 'handOffToTranscription', { filename: 'goal.mp4' });
      const changed = (fields: Partial<Recording>) =>
        app.store.tx((tx) => tx.put('recordings', { ...tx.get('recordings', recordingId)!, ...fields }));
      await changed({ status: 'recording', ended_at: null });
      await app.refused('wrong_state', 'handOffToTranscription', { recordingId });
      await changed({ status: 'finished', files: 2 });
      assert.match(
        (await app.refused('rule_violated', 'handOffToTranscription', { recordingId })).message,
        /createClip/u,
      );
      assert.equal(provider.handed.size, 0);
    });
  });
});
