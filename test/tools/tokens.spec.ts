import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { hashToken } from '../../domain/security.ts';
import { fieldsOf, openBench, type Bench } from '../app/test-app.ts';
import { documentOf } from '../helpers/store-document.ts';

describe('API tokens', () => {
  let bench: Bench;
  beforeEach(async () => void (bench = await openBench()));
  afterEach(() => bench.close());

  it('shows the value once and stores its hash alone', async () => {
    const created = await bench.call('createApiToken', { name: 'robot', expires_days: 2 });
    assert.equal(created.status, 201);
    const { data } = created.body as { data: { id: number; kid: string; token: string; expires_at: string } };
    assert.deepEqual(Object.keys(data).sort(), ['created_at', 'expires_at', 'id', 'kid', 'name', 'token']);
    assert.equal(data.expires_at, '2026-01-03T00:00:00.000Z');
    const stored = (await bench.store.get('tokens', data.id))?.row;
    assert.deepEqual(
      [stored?.token_hash, stored?.userId, stored?.kid],
      [hashToken(data.token), bench.users.admin, data.kid],
    );
    const everything = JSON.stringify(await documentOf(bench.store));
    assert.ok(!everything.includes(data.token));
    const [row] = await bench.rows('listApiTokens');
    assert.deepEqual(row, {
      id: data.id,
      kid: data.kid,
      name: 'robot',
      created_at: '2026-01-01T00:00:00.000Z',
      expires_at: data.expires_at,
    });
  });

  it('has no expiry without expires_days', async () => {
    assert.equal((await bench.data('createApiToken', { name: 'robot' }))['expires_at'], null);
  });

  it('refuses a bad name or number of days, naming field and limit', async () => {
    for (const args of [
      { name: '' },
      { name: 'x'.repeat(101) },
      { name: 'x', expires_days: 0 },
      { name: 'x', expires_days: 3651 },
      { name: 'x', expires_days: 1.5 },
      {},
    ]) {
      await bench.refused('invalid_input', 'createApiToken', args);
    }
    const error = await bench.refused('invalid_input', 'createApiToken', { name: 'x'.repeat(101), expires_days: 3651 });
    assert.deepEqual(fieldsOf(error), ['name', 'expires_days']);
    assert.deepEqual(
      error.extras.errors?.map((issue) => issue['max']),
      [100, 3650],
    );
  });

  it('is for Admins whose profile allows it', async () => {
    for (const operation of ['createApiToken', 'listApiTokens', 'revokeApiToken']) {
      await bench.refused('forbidden', operation, { name: 'x' }, { user: 'operator' });
    }
    const error = await bench.refused('forbidden', 'createApiToken', { name: 'x' }, { user: 'plain' });
    assert.match(error.message, /api: true/u);
  });

  it('may be for another active user', async () => {
    const { id } = await bench.data('createApiToken', { name: 'x', userId: bench.users.operator });
    assert.equal((await bench.store.get('tokens', id))?.row.userId, bench.users.operator);
    await bench.refused('rule_violated', 'createApiToken', { name: 'x', userId: bench.users.gone });
    const missing = await bench.refused('rule_violated', 'createApiToken', { name: 'x', userId: 99 });
    assert.match(missing.message, /userId: there is no User 99/u);
  });

  it('revokes once and for good; the list shows what is left', async () => {
    const first = await bench.data('createApiToken', { name: 'first' });
    const second = await bench.data('createApiToken', { name: 'second' });
    const kid = first['kid'];
    assert.deepEqual(await bench.data('revokeApiToken', { kid }), { id: first.id, deleted: true });
    assert.deepEqual(await bench.ids('listApiTokens'), [second.id]);
    assert.notEqual((await bench.store.get('tokens', first.id))?.row.revoked_at, null);
    await bench.refused('not_found', 'revokeApiToken', { kid });
    await bench.refused('not_found', 'revokeApiToken', { kid: 'unknown' });
  });

  it('lists with search and sort, never by hash', async () => {
    for (const name of ['b', 'a']) await bench.data('createApiToken', { name });
    assert.deepEqual(
      (await bench.rows('listApiTokens', { sort: 'name' })).map((row) => row['name']),
      ['a', 'b'],
    );
    assert.deepEqual(
      (await bench.rows('listApiTokens', { search: 'B' })).map((row) => row['name']),
      ['b'],
    );
    for (const sort of ['token_hash', 'userId', 'revoked_at'])
      await bench.refused('invalid_input', 'listApiTokens', { sort });
    await bench.refused('invalid_input', 'listApiTokens', { fields: 'token_hash' });
  });

  it('replays the value to its own caller alone', async () => {
    const call = { idempotencyKey: 'once' };
    const first = await bench.call('createApiToken', { name: 'robot' }, call);
    const again = await bench.call('createApiToken', { name: 'robot' }, call);
    assert.deepEqual([again.replayed, again.body], [true, first.body]);
    assert.equal((await bench.rows('listApiTokens')).length, 1);
    await bench.refused('conflict', 'createApiToken', { name: 'robot' }, { ...call, sealKey: Buffer.alloc(32, 2) });
  });
});
