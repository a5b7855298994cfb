import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createWorld, listen, OPERATOR, type World } from '../rest/rest-app.ts';
import { fieldsOf, openBench, type Bench } from '../app/test-app.ts';

const ACCOUNT = { client: 'Station', client_id: '2', password: 'canary-cloud-token' };

describe('Cloud accounts', () => {
  let bench: Bench;
  beforeEach(async () => void (bench = await openBench()));
  afterEach(() => bench.close());
  const stored = async () => (await bench.store.get('cloudAccounts', 1))?.row ?? assert.fail('nothing stored');

  it('are created, listed and shown without their password', async () => {
    const added = await bench.call('addCloudAccount', ACCOUNT);
    assert.equal(added.status, 201);
    const shown = await bench.call('getCloudAccountById', { accountId: 1 });
    const listed = await bench.call('getAllCloudAccounts');
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
    await bench.data('addCloudAccount', { ...ACCOUNT, client: 'Second', enabled: false });
    assert.deepEqual(await bench.ids('getAllCloudAccounts', { enabled: false }), [2]);
    assert.deepEqual(await bench.ids('getAllCloudAccounts', { sort: 'client' }), [2, 1]);
  });

  it('are for Administrators alone, reads included', async () => {
    await bench.data('addCloudAccount', ACCOUNT);
    await bench.refused('forbidden', 'getAllCloudAccounts', {}, { user: 'operator' });
    await bench.refused('forbidden', 'addCloudAccount', ACCOUNT, { user: 'operator' });
    for (const operation of ['getCloudAccountById', 'updateCloudAccount', 'deleteCloudAccount', 'validateCloudAccount'])
      await bench.refused('forbidden', operation, { accountId: 1 }, { user: 'operator' });
  });

  it('refuse what they cannot be, and repeat no password', async () => {
    const refusals: [object, string[]][] = [
      [{}, ['client', 'client_id', 'password']],
      [{ ...ACCOUNT, password: 'canary with spaces' }, ['password']],
      [{ ...ACCOUNT, password: 'canary\r\nX-Evil: 1' }, ['password']],
      [{ ...ACCOUNT, client: 'x'.repeat(101) }, ['client']],
      [{ ...ACCOUNT, name: 'x' }, ['name']],
    ];
    for (const [input, fields] of refusals) {
      const error = await bench.refused('invalid_input', 'addCloudAccount', input);
      assert.deepEqual(fieldsOf(error), fields);
      assert.ok(!JSON.stringify([error.message, error.extras]).includes('canary'), error.message);
    }
    await bench.data('addCloudAccount', ACCOUNT);
    await bench.refused('conflict', 'addCloudAccount', ACCOUNT);
    await bench.refused('invalid_input', 'updateCloudAccount', { accountId: 1, password: null });
    const audit = JSON.stringify((await bench.store.find('audit', {})).rows);
    assert.ok(audit.includes('password') && !audit.includes('canary'), audit);
  });

  it('merge a change; another user, password or switch leaves them untried', async () => {
    await bench.data('addCloudAccount', ACCOUNT);
    const statusAfter = async (change: object): Promise<unknown> => {
      const row = await stored();
      await bench.store.tx((tx) =>
        tx.put('cloudAccounts', { ...row, validation_status: 'INVALID', validation_error: 'x' }),
      );
      const changed = await bench.data('updateCloudAccount', { accountId: 1, ...change });
      return [changed['validation_status'], changed['validation_error']];
    };
    assert.deepEqual(await statusAfter({ client: 'Renamed', client_id: '2' }), ['INVALID', 'x']);
    assert.equal((await stored()).password, ACCOUNT.password);
    for (const change of [{ client_id: '3' }, { password: 'canary-other' }, { enabled: false }])
      assert.deepEqual(await statusAfter(change), ['UNKNOWN', null], JSON.stringify(change));
    await bench.refused('version_mismatch', 'updateCloudAccount', { accountId: 1 }, { ifMatch: '"1"' });
    for (const operation of ['getCloudAccountById', 'updateCloudAccount', 'deleteCloudAccount', 'validateCloudAccount'])
      await bench.refused('not_found', operation, { accountId: 9 });
  });

  for (const type of ['UDP-R Cloud', 'SRT Cloud']) {
    it(`are referred to by a Channel of type ${type}, which keeps them from deletion`, async () => {
      const channel = { name: 'Cloud in', type, settings: { cloudAccountId: 1 } };
      assert.deepEqual(fieldsOf(await bench.refused('rule_violated', 'addChannel', channel)), [
        'settings.cloudAccountId',
      ]);
      await bench.data('addCloudAccount', ACCOUNT);
      const { id: channelId } = await bench.data('addChannel', channel);
      const error = await bench.refused('in_use', 'deleteCloudAccount', { accountId: 1 });
      assert.deepEqual(error.extras.facts?.['users'], [{ resource: 'Channel', id: channelId, name: 'Cloud in' }]);
      await bench.data('deleteChannel', { channelId });
      assert.deepEqual(await bench.data('deleteCloudAccount', { accountId: 1 }), { id: 1, deleted: true });
    });
  }

  it('are INVALID without a cloud platform', async () => {
    await bench.data('addCloudAccount', ACCOUNT);
    const reply = await bench.call('validateCloudAccount', { accountId: 1 });
    assert.equal(reply.status, 200);
    const { data } = reply.body as any;
    assert.equal(data.validation_status, 'INVALID');
    assert.match(data.validation_error, /ONAIR_CLOUD_URL/u);
  });
});

describe('Cloud accounts at a second deployment of the service', () => {
  let world: World;
  let platform: { url: string; close(): Promise<void> };
  let bench: Bench;
  beforeEach(async () => {
    world = await createWorld();
    platform = await listen(world.app);
    bench = await openBench([], { cloudUrl: platform.url });
  });
  afterEach(async () => {
    await bench.close();
    await platform.close();
    await world.close();
  });

  it('are VALID with a token of the user named, INVALID with another, and say why without it', async () => {
    await bench.data('addCloudAccount', { ...ACCOUNT, password: OPERATOR });
    const outcome = async (): Promise<Record<string, unknown>> => bench.data('validateCloudAccount', { accountId: 1 });
    const valid = await outcome();
    assert.deepEqual(
      [valid['validation_status'], valid['validation_date'], valid['validation_error']],
      ['VALID', '2026-01-01T00:00:00.000Z', null],
    );
    await bench.data('updateCloudAccount', { accountId: 1, client_id: '1' });
    assert.match(String((await outcome())['validation_error']), /token of user 2 \(operator\)/u);
    await bench.data('updateCloudAccount', { accountId: 1, client_id: '2', password: ACCOUNT.password });
    const refused = await outcome();
    assert.equal(refused['validation_status'], 'INVALID');
    assert.match(String(refused['validation_error']), /HTTP 401/u);
    assert.ok(!JSON.stringify([refused, (await bench.store.find('audit', {})).rows]).includes('canary'));
    assert.deepEqual(world.logged, []);
  });
});
