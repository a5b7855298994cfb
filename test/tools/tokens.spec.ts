import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { hashToken } from '../../domain/shapes/installation/security.ts';
import { fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { documentOf } from '../helpers/store-document.ts';
import { wordsOf } from '../helpers/words.ts';

describe('API tokens', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  it('createApiToken shows the value once and stores its hash alone', async () => {
    const created = await app.call('createApiToken', { name: 'robot', expires_days: 2 });
    assert.equal(created.status, 201);
    const { data } = created.body as { data: { id: number; kid: string; token: string; expires_at: string } };
    assert.deepEqual(Object.keys(data).sort(), wordsOf('created_at expires_at id kid name operations profile token'));
    assert.equal(data.expires_at, '2026-01-03T00:00:00.000Z');
    const stored = (await app.store.get('tokens', data.id))?.row;
    assert.deepEqual(
      [stored?.token_hash, stored?.userId, stored?.kid],
      [hashToken(data.token), app.users.admin, data.kid],
    );
    const everything = JSON.stringify(await documentOf(app.store));
    assert.ok(!everything.includes(data.token));
    const [row] = await app.rows('listApiTokens');
    assert.deepEqual(row, {
      id: data.id,
      kid: data.kid,
      name: 'robot',
      created_at: '2026-01-01T00:00:00.000Z',
      expires_at: data.expires_at,
      profile: null,
      operations: null,
      client: null,
    });
  });

  it('an API token has no expiry without expires_days', async () => {
    assert.equal((await app.data('createApiToken', { name: 'robot' }))['expires_at'], null);
  });

  it('createApiToken refuses a bad name or number of days, naming field and limit', async () => {
    for (const args of [
      { name: '' },
      { name: 'x'.repeat(101) },
      { name: 'x', expires_days: 0 },
      { name: 'x', expires_days: 3651 },
      { name: 'x', expires_days: 1.5 },
      {},
    ]) {
      await app.refused('invalid_input', 'createApiToken', args);
    }
    const error = await app.refused('invalid_input', 'createApiToken', { name: 'x'.repeat(101), expires_days: 3651 });
    assert.deepEqual(fieldsOf(error), ['name', 'expires_days']);
    assert.deepEqual(
      error.extras.errors?.map((issue) => issue['max']),
      [100, 3650],
    );
  });

  it('createApiToken is for Admins whose profile allows it', async () => {
    for (const operation of ['createApiToken', 'listApiTokens', 'revokeApiToken']) {
      await app.refused('forbidden', operation, { name: 'x' }, { user: 'operator' });
    }
    const error = await app.refused('forbidden', 'createApiToken', { name: 'x' }, { user: 'plain' });
    assert.match(error.message, /api: true/u);
  });

  it('an API token may be for another active user', async () => {
    const { id } = await app.data('createApiToken', { name: 'x', userId: app.users.operator });
    assert.equal((await app.store.get('tokens', id))?.row.userId, app.users.operator);
    await app.refused('rule_violated', 'createApiToken', { name: 'x', userId: app.users.gone });
    const missing = await app.refused('rule_violated', 'createApiToken', { name: 'x', userId: 99 });
    assert.match(missing.message, /userId: there is no User 99/u);
  });

  it('an API token is revoked once and for good; the list shows what is left', async () => {
    const first = await app.data('createApiToken', { name: 'first' });
    const second = await app.data('createApiToken', { name: 'second' });
    const kid = first['kid'];
    assert.deepEqual(await app.data('revokeApiToken', { kid }), { id: first.id, deleted: true });
    assert.deepEqual(await app.ids('listApiTokens'), [second.id]);
    assert.notEqual((await app.store.get('tokens', first.id))?.row.revoked_at, null);
    await app.refused('not_found', 'revokeApiToken', { kid });
    await app.refused('not_found', 'revokeApiToken', { kid: 'unknown' });
  });

  it('API tokens are listed with search and sort, never by hash', async () => {
    for (const name of ['b', 'a']) await app.data('createApiToken', { name });
    assert.deepEqual(
      (await app.rows('listApiTokens', { sort: 'name' })).map((row) => row['name']),
      ['a', 'b'],
    );
    assert.deepEqual(
      (await app.rows('listApiTokens', { search: 'B' })).map((row) => row['name']),
      ['b'],
    );
    for (const sort of ['token_hash', 'userId', 'revoked_at'])
      await app.refused('invalid_input', 'listApiTokens', { sort });
    await app.refused('invalid_input', 'listApiTokens', { fields: 'token_hash' });
  });
});
