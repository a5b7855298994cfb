import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { LicenceFeature } from '../../domain/shapes/installation/licence.ts';
import { hasFeature } from '../../domain/rules/installation/licence-limits.ts';
import { toIso } from '../../domain/time/clock.ts';
import { makeIssuer } from '../helpers/licences.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { type Row, fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

const DAY_MS = 86_400_000;
const issuer = makeIssuer();

describe('Licences', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp({ licenceKey: issuer.publicPem })));
  afterEach(() => app.close());

  const install = async (claims: object): Promise<Row> =>
    app.data('installLicense', { license: await issuer.issue(claims) });
  const isOn = (feature: LicenceFeature): Promise<boolean> =>
    app.store.tx((tx) => hasFeature(tx, feature, toIso(app.clock.now())));

  it('licences are installed, listed without the signed file, and end by themselves', async () => {
    const file = await issuer.issue({ licence_id: 'A-1', features: ['editor', 'videosite'] });
    const added = await app.call('installLicense', { license: ` \n${file}\n` });
    assert.equal(added.status, 201);
    const { data } = added.body as { data: Row };
    assert.deepEqual([data['licence_id'], data['customer'], data['active']], ['A-1', 'Example Television', true]);
    const { body } = await app.call('getSystemLicenses');
    assert.deepEqual((body as { rows: Row[] }).rows, [data]);
    assert.ok(!JSON.stringify([added.body, body]).includes(file.slice(-40)));
    assert.equal(await isOn('editor'), true);
    assert.equal(await isOn('cloud'), false);

    app.clock.advance(31 * DAY_MS - 1);
    assert.equal(await isOn('editor'), true);
    app.clock.advance(1);
    assert.equal(await isOn('editor'), false);
    assert.equal((await app.rows('getSystemLicenses'))[0]?.['active'], false);
    assert.match((await app.refused('rule_violated', 'installLicense', { license: file })).message, /ended at/u);
  });

  it('licences are held once a serial: the same again changes nothing, a later edition replaces', async () => {
    const file = await issuer.issue({ licence_id: 'A-1' });
    const first = await app.call('installLicense', { license: file });
    const again = await app.call('installLicense', { license: file });
    assert.deepEqual([again.status, again.body, again.etag], [200, first.body, first.etag]);
    assert.match(
      (
        await app.refused('conflict', 'installLicense', {
          license: await issuer.issue({ licence_id: 'A-1', quantity: 9 }),
        })
      ).message,
      /is not newer/u,
    );
    app.clock.advance(DAY_MS);
    const later = { licence_id: 'A-1', quantity: 9, issued_at: '2026-01-02T00:00:00.000Z' };
    const replaced = await app.call('installLicense', { license: await issuer.issue(later) });
    assert.equal(replaced.status, 200);
    const rows = await app.rows('getSystemLicenses');
    assert.deepEqual(
      rows.map((row) => [row.id, row['quantity']]),
      [[(first.body as { data: Row }).data.id, 9]],
    );
    await app.refused('conflict', 'installLicense', { license: file });
  });

  it('licences are for Admins; the content comes once, 16 KB at most; nothing refused is kept', async () => {
    const license = await issuer.issue();
    await app.refused('forbidden', 'installLicense', { license }, { user: 'operator' });
    await app.refused('forbidden', 'getSystemLicenses', {}, { user: 'operator' });
    assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'installLicense')), ['license']);
    assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'installLicense', { license: 'x'.repeat(16_385) })), [
      'license',
    ]);
    const upload = (content: string): { filename: string; content: ReadableStream<Uint8Array> } => ({
      filename: 'any.lic',
      content: new Blob([content]).stream(),
    });
    await app.refused('invalid_input', 'installLicense', { license }, { upload: upload(license) });
    await app.refused('too_large', 'installLicense', {}, { upload: upload('x'.repeat(16_385)) });
    await app.refused('rule_violated', 'installLicense', { license: await makeIssuer().issue() });
    assert.deepEqual(await app.rows('getSystemLicenses'), []);
    assert.equal((await app.call('installLicense', {}, { upload: upload(`${license}\n`) })).status, 201);
  });

  it("licences cannot be installed without the issuer's key", async () => {
    const bare = await startTestApp();
    const error = await bare.refused('rule_violated', 'installLicense', { license: await issuer.issue() });
    assert.match(error.message, /ONAIR_LICENSE_KEY/u);
    await bare.close();
  });

  describe('the counts', () => {
    it('licences count Live streams on air at once, once a licence says how many', async () => {
      const { livestreamId: one } = await addBroadcast(app, ' 1');
      const { livestreamId: two } = await addBroadcast(app, ' 2');
      const { livestreamId: three } = await addBroadcast(app, ' 3');
      await app.call('startLivestream', { livestreamId: one });
      await app.call('startLivestream', { livestreamId: two });
      await install({ features: ['channels'], quantity: 2 });
      const error = await app.refused('forbidden', 'startLivestream', { livestreamId: three });
      assert.match(error.message, /allow 2 Live streams on air at once, and 2 are/u);
      await install({ features: ['channels'], quantity: 1 });
      assert.equal((await app.call('startLivestream', { livestreamId: three })).status, 202);
    });

    it('licences count Destinations, with those of the start itself', async () => {
      const { livestreamId, publishingId } = await addBroadcast(app);
      const { id: second } = await app.data('addPublishing', { name: 'Web 2', type: 'HLS / TS' });
      const { id: groupId } = await app.data('addPublishingGroup', {
        name: 'Both',
        elements: [publishingId, second],
      });
      await app.data('updateLivestream', { livestreamId, publishingGroupId: groupId });
      await install({ features: ['publishing_points'], quantity: 1 });
      const error = await app.refused('forbidden', 'startLivestream', { livestreamId });
      assert.match(error.message, /allow 1 Destinations at once; 0 are in use and this start needs 2/u);
      const startConfig = [
        { publishingId, primary: true },
        { publishingId: second, primary: false },
      ];
      assert.equal((await app.call('startLivestream', { livestreamId, startConfig })).status, 202);
    });

    it('a start at a Cloud account needs a licence with cloud once one in force names it, and none before', async () => {
      const { livestreamId } = await addBroadcast(app);
      const account = { client: 'Station', client_id: '2', password: 'canary-cloud-token' };
      const { id: cloudAccountId } = await app.data('addCloudAccount', account);
      const refusal = async (): Promise<string> => {
        const call = { livestreamId, cloudAccountId };
        const { reasons } = (await app.data('getLivestreamStartConfig', { livestreamId })) as never as {
          reasons: unknown[];
        };
        assert.deepEqual(reasons, [], 'a Device needs none');
        const { targets } = (await app.call('get_start_targets', { livestream: 'Show' })).body as {
          targets: { kind: string; reason: { code: string } }[];
        };
        const { code } = targets.find(({ kind }) => kind === 'cloud')!.reason;
        await app.refused(code === 'licence' ? 'forbidden' : 'no_capacity', 'startLivestream', call);
        return code;
      };
      assert.equal(await refusal(), 'not_validated', 'named by none it is no limit');
      await install({ licence_id: 'A', denied: ['cloud'] });
      assert.equal(await refusal(), 'licence');
      await install({ licence_id: 'B', features: ['cloud'], expires_at: '2026-01-10T00:00:00.000Z' });
      assert.equal(await refusal(), 'not_validated');
      app.clock.advance(15 * DAY_MS);
      assert.equal(await refusal(), 'licence', 'the one that allows it has ended');
      const issued_at = '2026-01-02T00:00:00.000Z';
      await install({ licence_id: 'A', issued_at });
      assert.equal(await refusal(), 'not_validated', 'a later edition denies it no more');
    });

    it('each Device shows what licences allow', async () => {
      const licensed = async (): Promise<unknown> => (await app.rows('getAllDevices'))[0]?.['licensed'];
      assert.deepEqual(await licensed(), { channels: null, outputs: null, publishing_points: null });
      await install({ features: ['channels', 'publishing_points'], quantity: 3 });
      await install({ features: ['channels'], quantity: 4, expires_at: '2026-01-10T00:00:00.000Z' });
      assert.deepEqual(await licensed(), { channels: 7, outputs: 6, publishing_points: 3 });
      app.clock.advance(20 * DAY_MS);
      assert.deepEqual(await licensed(), { channels: 3, outputs: 6, publishing_points: 3 });
    });
  });
});
