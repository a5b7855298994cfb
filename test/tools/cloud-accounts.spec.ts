import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { TOKENS } from '../app/users.ts';
import { type RestTestApp, listen, startRestApp } from '../rest/rest-app.ts';

const ACCOUNT = { client: 'Station', client_id: '2', password: 'canary-cloud-token' };

describe('Cloud accounts', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());
  const stored = async () => (await app.store.get('cloudAccounts', 1))?.row ?? assert.fail('nothing stored');

  it('Cloud accounts are created, listed and shown without their password', async () => {
    const added = await app.call('addCloudAccount', ACCOUNT);
    assert.equal(added.status, 201);
    const shown = await app.call('getCloudAccountById', { accountId: 1 });
    const listed = await app.call('getAllCloudAccounts');
    for (const { body } of [added, shown, listed])
      assert.ok(!JSON.stringify(body).includes('canary'), JSON.stringify(body));
    assert.deepEqual((shown.body as any).data, {
      id: 1,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      client: 'Station',
      client_id: '2',
      enabled: true,
      has_password: true,
      validation_status: 'UNKNOWN',
      validation_date: null,
      validation_error: null,
    });
    await app.data('addCloudAccount', { ...ACCOUNT, client: 'Second', enabled: false });
    assert.deepEqual(await app.ids('getAllCloudAccounts', { enabled: false }), [2]);
    assert.deepEqual(await app.ids('getAllCloudAccounts', { sort: 'client' }), [2, 1]);
  });

  it('Cloud accounts refuse what they cannot be, and repeat no password', async () => {
    const refusals: [object, string[]][] = [
      [{}, ['client', 'client_id', 'password']],
      [{ ...ACCOUNT, password: 'canary with spaces' }, ['password']],
      [{ ...ACCOUNT, password: 'canary\r\nX-Evil: 1' }, ['password']],
      [{ ...ACCOUNT, client: 'x'.repeat(101) }, ['client']],
      [{ ...ACCOUNT, name: 'x' }, ['name']],
    ];
    for (const [input, fields] of refusals) {
      const error = await app.refused('invalid_input', 'addCloudAccount', input);
      assert.deepEqual(fieldsOf(error), fields);
      assert.ok(!JSON.stringify([error.message, error.extras]).includes('canary'), error.message);
    }
    await app.data('addCloudAccount', ACCOUNT);
    await app.refused('conflict', 'addCloudAccount', ACCOUNT);
    await app.refused('invalid_input', 'updateCloudAccount', { accountId: 1, password: null });
    const audit = JSON.stringify((await app.store.find('audit', {})).rows);
    assert.ok(audit.includes('password') && !audit.includes('canary'), audit);
  });

  it('Cloud accounts merge a change; another user, password or switch leaves them untried', async () => {
    await app.data('addCloudAccount', ACCOUNT);
    const statusAfter = async (change: object): Promise<unknown> => {
      const row = await stored();
      await app.store.tx((tx) =>
        tx.put('cloudAccounts', { ...row, validation_status: 'INVALID', validation_error: 'x' }),
      );
      const changed = await app.data('updateCloudAccount', { accountId: 1, ...change });
      return [changed['validation_status'], changed['validation_error']];
    };
    assert.deepEqual(await statusAfter({ client: 'Renamed', client_id: '2' }), ['INVALID', 'x']);
    assert.equal((await stored()).password, ACCOUNT.password);
    for (const change of [{ client_id: '3' }, { password: 'canary-other' }, { enabled: false }])
      assert.deepEqual(await statusAfter(change), ['UNKNOWN', null], JSON.stringify(change));
    await app.refused('version_mismatch', 'updateCloudAccount', { accountId: 1 }, { ifMatch: '"1"' });
    for (const operation of ['getCloudAccountById', 'updateCloudAccount', 'deleteCloudAccount', 'validateCloudAccount'])
      await app.refused('not_found', operation, { accountId: 9 });
  });

  for (const type of ['UDP-R Cloud', 'SRT Cloud']) {
    it(`Cloud accounts are referred to by a Channel of type ${type}, which keeps them from deletion`, async () => {
      const channel = { name: 'Cloud in', type, settings: { cloudAccountId: 1 } };
      assert.deepEqual(fieldsOf(await app.refused('rule_violated', 'addChannel', channel)), [
        'settings.cloudAccountId',
      ]);
      await app.data('addCloudAccount', ACCOUNT);
      const { id: channelId } = await app.data('addChannel', channel);
      const error = await app.refused('in_use', 'deleteCloudAccount', { accountId: 1 });
      assert.deepEqual(error.extras.facts?.['users'], [{ resource: 'Channel', id: channelId, name: 'Cloud in' }]);
      await app.data('deleteChannel', { channelId });
      assert.deepEqual(await app.data('deleteCloudAccount', { accountId: 1 }), { id: 1, deleted: true });
    });
  }

  it('Cloud accounts are INVALID without a cloud platform', async () => {
    await app.data('addCloudAccount', ACCOUNT);
    const reply = await app.call('validateCloudAccount', { accountId: 1 });
    assert.equal(reply.status, 200);
    const { data } = reply.body as any;
    assert.equal(data.validation_status, 'INVALID');
    assert.match(data.validation_error, /ONAIR_CLOUD_URL/u);
  });
});

describe('Cloud accounts at a second deployment of the service', () => {
  let api: RestTestApp;
  let platform: { url: string; close(): Promise<void> };
  let app: TestApp;
  beforeEach(async () => {
    api = await startRestApp();
    platform = await listen(api.rest);
    app = await startTestApp({ cloudUrl: platform.url });
  });
  afterEach(async () => {
    await app.close();
    await platform.close();
    await api.close();
  });

  it('Cloud accounts are VALID with a token of the user named, INVALID with another, and say why without it', async () => {
    await app.data('addCloudAccount', { ...ACCOUNT, password: TOKENS.operator });
    const outcome = async (): Promise<Record<string, unknown>> => app.data('validateCloudAccount', { accountId: 1 });
    const valid = await outcome();
    assert.deepEqual(
      [valid['validation_status'], valid['validation_date'], valid['validation_error']],
      ['VALID', '2026-01-01T00:00:00.000Z', null],
    );
    await app.data('updateCloudAccount', { accountId: 1, client_id: '1' });
    assert.match(String((await outcome())['validation_error']), /token of user 2 \(operator\)/u);
    await app.data('updateCloudAccount', { accountId: 1, client_id: '2', password: ACCOUNT.password });
    const refused = await outcome();
    assert.equal(refused['validation_status'], 'INVALID');
    assert.match(String(refused['validation_error']), /HTTP 401/u);
    assert.ok(!JSON.stringify([refused, (await app.store.find('audit', {})).rows]).includes('canary'));
    assert.deepEqual(api.logged, []);
  });
});
