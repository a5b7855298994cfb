import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { bearerOf, createAuth, type Auth } from '../../auth/auth.ts';
import { AppError } from '../../domain/base/errors.ts';
import { hashToken, type ApiToken, type AuditEntry } from '../../domain/shapes/installation/security.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { User } from '../../domain/shapes/installation/user.ts';
import { openStore } from '../../store/open.ts';
import { FakeClock } from '../helpers/fake-clock.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const ORIGIN = { via: 'mcp', requestId: 'r-1' } as const;
const STAMPS = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };

const user: Omit<User, 'id'> = {
  ...STAMPS,
  username: 'vera',
  first_name: 'Vera',
  last_name: 'Lund',
  email: 'vera@example.org',
  password_hash: 'none',
  user_role: 2,
  active: true,
  profile: { api: false, language: 'en', password_version: 1 },
};

describe('authenticate', () => {
  let store: Store;
  let auth: Auth;
  let userId: number;

  beforeEach(async () => {
    store = await openStore({ kind: 'memory' });
    auth = createAuth({ store, clock: { now: () => NOW } });
    userId = await store.tx((tx) => tx.insert('users', user).id);
  });

  function giveToken(secret: string, change: Partial<ApiToken> = {}): Promise<number> {
    const row = {
      ...STAMPS,
      kid: `kid-${secret}`,
      name: secret,
      userId,
      token_hash: hashToken(secret),
      expires_at: null,
      revoked_at: null,
    };
    return store.tx((tx) => tx.insert('tokens', { ...row, ...change }).id);
  }

  async function refusal(bearer: string | undefined): Promise<string> {
    const error: unknown = await auth.authenticate(bearer, ORIGIN).then(
      () => assert.fail('was let in'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof AppError);
    assert.equal(error.code, 'unauthenticated');
    return error.message;
  }

  it('authenticate answers the user of a token with the role and rights that the user has at present', async () => {
    await giveToken('good');
    const caller = await auth.authenticate('good', ORIGIN);
    assert.deepEqual(
      { ...caller, sealKey: undefined },
      { userId, username: 'vera', role: 2, api: false, tokenKid: 'kid-good', scope: undefined, sealKey: undefined },
    );
    await store.tx((tx) =>
      tx.put('users', { ...user, id: userId, user_role: 1, profile: { ...user.profile, api: true } }),
    );
    const promoted = await auth.authenticate('good', ORIGIN);
    assert.equal(promoted.role, 1);
    assert.equal(promoted.api, true);
  });

  it('authenticate refuses a missing, unknown, expired or revoked token with one and the same text', async () => {
    await giveToken('expired', { expires_at: '2026-03-01T12:00:00.000Z' });
    await giveToken('revoked', { revoked_at: '2026-02-01T00:00:00.000Z' });
    await giveToken('orphan', { userId: 999 });
    await giveToken('inactive');
    const texts = [
      await refusal(undefined),
      await refusal(''),
      await refusal('unknown'),
      await refusal('x'.repeat(513)),
    ];
    texts.push(await refusal('expired'), await refusal('revoked'), await refusal('orphan'));
    await store.tx((tx) => tx.put('users', { ...user, id: userId, active: false }));
    texts.push(await refusal('inactive'));
    assert.equal(new Set(texts).size, 1);
  });

  it('a token is accepted until its last millisecond and not after', async () => {
    await giveToken('short', { expires_at: '2026-03-01T12:00:00.001Z' });
    assert.equal((await auth.authenticate('short', ORIGIN)).tokenKid, 'kid-short');
  });

  it('a revocation of a token is in force on the next call', async () => {
    const id = await giveToken('soon');
    await auth.authenticate('soon', ORIGIN);
    const row = (await store.get('tokens', id))?.row;
    assert.ok(row);
    await store.tx((tx) => tx.put('tokens', { ...row, revoked_at: '2026-03-01T12:00:00.000Z' }));
    await refusal('soon');
  });

  it('authenticate derives a seal key from each token: always the same one, another for another token, and not the stored hash', async () => {
    await giveToken('one');
    await giveToken('two');
    const [first, again, other] = [
      await auth.authenticate('one', ORIGIN),
      await auth.authenticate('one', ORIGIN),
      await auth.authenticate('two', ORIGIN),
    ];
    assert.equal(first.sealKey.length, 32);
    assert.deepEqual(first.sealKey, again.sealKey);
    assert.notDeepEqual(first.sealKey, other.sealKey);
    assert.notEqual(first.sealKey.toString('base64url'), hashToken('one'));
  });
});

describe('a refused token in the audit', () => {
  const HOUR_MS = 3_600_000;
  let clock: FakeClock;
  let store: Store;
  let auth: Auth;
  const tryToken = (secret: string | undefined): Promise<unknown> =>
    assert.rejects(auth.authenticate(secret, ORIGIN), { code: 'unauthenticated' });
  const entries = async (): Promise<AuditEntry[]> => [...(await store.find('audit', {})).rows];

  beforeEach(async () => {
    store = await openStore({ kind: 'memory' });
    clock = new FakeClock(new Date(NOW).toISOString());
    auth = createAuth({ store, clock });
    await store.tx((tx) => {
      const owner = tx.insert('users', user).id;
      const left = tx.insert('users', { ...user, username: 'left', active: false }).id;
      const give = (kid: string, userId: number, change: Partial<ApiToken> = {}): unknown =>
        tx.insert('tokens', {
          ...STAMPS,
          kid,
          name: kid,
          userId,
          token_hash: hashToken(kid),
          expires_at: null,
          revoked_at: null,
          ...change,
        });
      give('expired', owner, { expires_at: STAMPS.created_at });
      give('revoked', owner, { revoked_at: STAMPS.created_at });
      give('left', left);
    });
  });

  it('a refused token’s audit entry names its owner where it had one, and never the token itself', async () => {
    for (const secret of ['expired', 'revoked', 'left', 'a guess', 'x'.repeat(600)]) await tryToken(secret);
    const rows = (await entries()).map(({ user, token_kid, operation, outcome }) => [
      user,
      token_kid,
      operation,
      outcome,
    ]);
    assert.deepEqual(rows, [
      ['vera', 'expired', 'authenticate', 'unauthenticated'],
      ['vera', 'revoked', 'authenticate', 'unauthenticated'],
      ['left', 'left', 'authenticate', 'unauthenticated'],
      ['(unknown)', null, 'authenticate', 'unauthenticated'],
      ['(unknown)', null, 'authenticate', 'unauthenticated'],
    ]);
    const [first] = await entries();
    assert.deepEqual(
      [first?.via, first?.request_id, first?.at],
      [ORIGIN.via, ORIGIN.requestId, new Date(NOW).toISOString()],
    );
    assert.ok(!JSON.stringify(await entries()).includes('a guess'), 'the token is not written down');
  });

  it('a refused token has one audit entry an hour, however often it is sent', async () => {
    for (let times = 0; times < 50; times += 1) for (const secret of ['revoked', 'a guess']) await tryToken(secret);
    assert.equal((await entries()).length, 2);
    clock.advance(HOUR_MS);
    for (const secret of ['revoked', 'a guess']) await tryToken(secret);
    assert.equal((await entries()).length, 4);
  });

  it('a flood of guessed tokens leaves 200 audit entries in an hour; a revoked token of a user still gets its own entry', async () => {
    for (let guess = 0; guess < 1000; guess += 1) await tryToken(`guess ${guess}`);
    assert.equal((await entries()).length, 200);
    await tryToken('revoked');
    assert.equal((await entries()).at(-1)?.token_kid, 'revoked');
  });

  it('a call without a token leaves no audit entry of a refused token', async () => {
    for (const none of [undefined, '']) await tryToken(none);
    assert.deepEqual(await entries(), []);
  });

  it('a bad token is refused as unauthenticated although its audit entry cannot be stored', async () => {
    const full = { ...store, tx: () => Promise.reject(new Error('disk full')) };
    const other = createAuth({
      store: {
        ...full,
        find: store.find.bind(store),
        get: store.get.bind(store),
        health: () => ({ ok: true, problem: null }),
        staleMs: () => undefined,
      },
      clock,
    });
    await assert.rejects(other.authenticate('revoked', ORIGIN), { code: 'unauthenticated' });
  });
});

describe('bearerOf', () => {
  it('bearerOf takes the token of the scheme Bearer, in any case', () => {
    assert.equal(bearerOf('Bearer abc'), 'abc');
    assert.equal(bearerOf('bearer   abc '), 'abc');
  });
  it('bearerOf takes the token of no other scheme or form', () => {
    for (const header of [undefined, null, '', 'Bearer', 'Bearer ', 'Basic abc', 'abc', 'Bearer a b', 'Bearer äöü']) {
      assert.equal(bearerOf(header), undefined, String(header));
    }
  });
});
