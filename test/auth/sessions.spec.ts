import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { sealKeyOf } from '../../auth/auth.ts';
import { createSessions, type Sessions, type SignedIn } from '../../auth/sessions.ts';
import { AppError } from '../../domain/base/errors.ts';
import { hashToken } from '../../domain/shapes/installation/security.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { User } from '../../domain/shapes/installation/user.ts';
import { openStore } from '../../store/open.ts';
import { hashPassword } from '../../toolkit/passwords.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { documentOf } from '../helpers/store-document.ts';
import { weakenPasswords, weakHashOf, withRealPasswords } from '../helpers/weak-hash.ts';

const PASSWORD = 'correct horse battery';
const AT = '2026-01-01T00:00:00.000Z';
const HOURS = 3_600_000;

weakenPasswords();

describe('sessions', () => {
  let store: Store;
  let clock: FakeClock;
  let sessions: Sessions;
  let userId: number;

  beforeEach(async () => {
    clock = new FakeClock(AT);
    store = await openStore({ kind: 'memory', clock });
    sessions = createSessions({ store, clock });
    userId = await addUser('vera', weakHashOf(PASSWORD));
  });
  afterEach(() => store.close());

  function addUser(username: string, password_hash: string, active = true): Promise<number> {
    const names = { username, first_name: '', last_name: '', email: 'x@example.org' };
    const profile = { api: false, language: 'en', password_version: 1 };
    const row = { created_at: AT, updated_at: AT, ...names, password_hash, user_role: 2 as const, active, profile };
    return store.tx((tx) => tx.insert('users', row).id);
  }
  async function change(part: Partial<User>): Promise<void> {
    await store.tx((tx) => tx.put('users', { ...tx.get('users', userId)!, ...part }));
  }
  const signIn = (username = 'vera', password = PASSWORD, address = 'a'): Promise<SignedIn> =>
    sessions.signIn({ username, password, address, requestId: 'request' });

  async function refusal(call: Promise<unknown>): Promise<string> {
    const error: unknown = await call.then(
      () => assert.fail('was let in'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof AppError && error.code === 'unauthenticated', String(error));
    return error.message;
  }

  it('sessions open with the right password, and are known by the cookie alone', async () => {
    const { secret, caller } = await signIn();
    assert.match(secret, /^[\w-]{43}$/u);
    const again = await sessions.authenticate(secret);
    const { userId: id, username, role, api, tokenKid, sessionId } = again;
    assert.deepEqual([id, username, role, api, tokenKid], [userId, 'vera', 2, false, null]);
    assert.equal(sessionId, caller.sessionId);
    assert.equal(again.csrfToken, caller.csrfToken);
    assert.notEqual((await signIn()).caller.csrfToken, caller.csrfToken);
    assert.deepEqual(again.sealKey, sealKeyOf(secret));
  });

  it('sessions store neither the cookie nor what is derived from it', async () => {
    const { secret, caller } = await signIn();
    const everything = JSON.stringify(await documentOf(store));
    assert.ok(everything.includes(hashToken(secret)));
    for (const kept of [secret, caller.csrfToken, PASSWORD]) assert.ok(!everything.includes(kept));
  });

  it('sign-ins are refused with one text, whatever is wrong, and in the time that a check takes', () =>
    withRealPasswords(async () => {
      const password_hash = await hashPassword(PASSWORD);
      await change({ password_hash });
      await addUser('gone', password_hash, false);
      await addUser('robot', '');
      const texts = new Set<string>();
      for (const [name, password] of [
        ['vera', 'wrong'],
        ['nobody', PASSWORD],
        ['gone', PASSWORD],
        ['robot', PASSWORD],
        ['robot', 'x'],
      ] as const) {
        const before = process.cpuUsage();
        texts.add(await refusal(signIn(name, password, name)));
        // A check computes for 200 ms or so, a refusal without one for less than 1 ms.
        const { user, system } = process.cpuUsage(before);
        assert.ok(user + system > 20_000, `${name} was refused without a check`);
      }
      assert.equal(texts.size, 1);
      assert.equal((await store.find('sessions', {})).total, 0);
    }));

  it('sessions end after twelve hours, whatever is done with them', async () => {
    const { secret, caller } = await signIn();
    assert.equal(caller.expiresAt, '2026-01-01T12:00:00.000Z');
    clock.advance(12 * HOURS - 1);
    await sessions.authenticate(secret);
    clock.advance(1);
    await refusal(sessions.authenticate(secret));
    clock.advance(1);
    await signIn();
    assert.equal((await store.find('sessions', {})).total, 1, 'the expired one is swept');
  });

  it('sessions end at the sign-out and when the user is deleted or not active, and are refused with one text', async () => {
    const first = await signIn();
    const second = await signIn();
    await sessions.signOut(first.caller, 'request');
    const texts = new Set([await refusal(sessions.authenticate(first.secret))]);
    assert.equal((await sessions.authenticate(second.secret)).userId, userId);
    await change({ active: false });
    texts.add(await refusal(sessions.authenticate(second.secret)));
    await store.tx((tx) => tx.delete('users', userId));
    texts.add(await refusal(sessions.authenticate(second.secret)));
    for (const secret of ['', 'x', 'x'.repeat(43), 'x'.repeat(5000)])
      texts.add(await refusal(sessions.authenticate(secret)));
    assert.equal(texts.size, 1);
  });

  it('sessions do not open when the password changes or the user goes while it is checked', async () => {
    const hash = await hashPassword('another password');
    const opening = signIn();
    await change({ password_hash: hash });
    await refusal(opening);
    const again = signIn('vera', 'another password');
    await change({ active: false });
    await refusal(again);
  });

  it('sessions survive a restart of the server', async () => {
    const { secret } = await signIn();
    assert.equal((await createSessions({ store, clock }).authenticate(secret)).userId, userId);
  });

  it('sessions are twenty a user at most: the oldest ends', async () => {
    const first = await signIn();
    const stamps = { created_at: AT, updated_at: AT, expires_at: '2026-01-01T12:00:00.000Z' };
    await store.tx((tx) => {
      for (let index = 0; index < 19; index += 1) tx.insert('sessions', { ...stamps, token_hash: `h${index}`, userId });
    });
    await sessions.authenticate(first.secret);
    await signIn();
    await refusal(sessions.authenticate(first.secret));
    assert.equal((await store.find('sessions', { where: { userId } })).total, 20);
  });

  it('sign-ins are slowed down after failures: a right password is refused meanwhile, and accepted afterwards', async () => {
    for (let time = 0; time < 5; time += 1) await refusal(signIn('vera', 'wrong'));
    await assert.rejects(signIn(), { code: 'rate_limited' });
    clock.advance(1000);
    assert.equal((await signIn()).caller.userId, userId);
  });

  it('sessions leave their beginning, end and refusal in the audit, without a password', async () => {
    const { caller } = await signIn();
    await refusal(signIn('vera', 'my wrong password'));
    // The password in the field of the name: it happens to everybody.
    await refusal(signIn('my password 2026', 'my wrong password'));
    await sessions.signOut(caller, 'out');
    const { rows } = await store.find('audit', {});
    assert.deepEqual(
      rows.map(({ operation, outcome, user, via, token_kid, request_id }) => [
        operation,
        outcome,
        user,
        via,
        token_kid,
        request_id,
      ]),
      [
        ['login', 'ok', 'vera', 'ui', null, 'request'],
        ['login', 'unauthenticated', 'vera', 'ui', null, 'request'],
        ['login', 'unauthenticated', '(unknown)', 'ui', null, 'request'],
        ['logout', 'ok', 'vera', 'ui', null, 'out'],
      ],
    );
    assert.ok(!JSON.stringify(rows).includes('password'));
  });
});
