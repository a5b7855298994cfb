import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createAuth } from '../../auth/auth.ts';
import { createSessions, type Sessions } from '../../auth/sessions.ts';
import { AppError } from '../../domain/base/errors.ts';
import { verifyPassword } from '../../toolkit/passwords.ts';
import { type Row, fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { documentOf } from '../helpers/store-document.ts';

const ORIGIN = { via: 'rest', requestId: 'r-1' } as const;
const PASSWORD = 'correct horse battery';
const vera = { username: 'vera', first_name: 'Vera', last_name: 'Lund', email: 'vera@example.org' };

let app: TestApp;
beforeEach(async () => void (app = await startTestApp()));
afterEach(() => app.close());

describe('Users', () => {
  it('Users are created with defaults; the password is nowhere but hashed', async () => {
    const created = await app.call('addUser', { ...vera, password: PASSWORD });
    assert.equal(created.status, 201);
    const { data } = created.body as { data: Row };
    const stamps = { created_at: data['created_at'], updated_at: data['updated_at'] };
    const expected = { ...vera, user_role: 2, active: true, has_password: true, identity: null };
    assert.deepEqual(data, { id: data.id, ...stamps, ...expected });
    assert.deepEqual(await app.data('getUserById', { userId: data.id }), data);
    const stored = (await app.store.get('users', data.id))?.row;
    assert.equal(await verifyPassword(PASSWORD, stored?.password_hash), true);
    assert.ok(!JSON.stringify(await documentOf(app.store)).includes(PASSWORD));
  });

  it('a User is shown with the number of open sessions and accepted tokens when they are asked for', async () => {
    const { data } = (await app.call('addUser', { ...vera, password: PASSWORD })).body as { data: Row };
    const sessions = createSessions({ store: app.store, clock: app.clock });
    const attempt = { username: 'vera', password: PASSWORD, address: '127.0.0.1', requestId: 'r-1' };
    await sessions.signIn(attempt);
    await sessions.signIn(attempt);
    const { kid } = await app.data('createApiToken', { name: 'kept', userId: data.id });
    await app.data('createApiToken', { name: 'revoked', userId: data.id });
    await app.data('revokeApiToken', { kid });
    const counted = async (): Promise<unknown> => {
      const { sessions: open, tokens } = await app.data('getUserById', { userId: data.id, credentials: true });
      return [open, tokens];
    };
    assert.deepEqual(await counted(), [2, 1]);
    app.clock.advance(13 * 3_600_000);
    assert.deepEqual(await counted(), [0, 1], 'a session that has run out is not open');
    await app.data('updateUser', { userId: data.id, active: false });
    assert.deepEqual(await counted(), [0, 1], 'a token of an inactive User works again with it');
  });

  it('Users refuse what is too long, naming field and limit', async () => {
    const long = { username: 'u'.repeat(31), first_name: 'f'.repeat(31), last_name: 'l'.repeat(31) };
    const email = `${'e'.repeat(70)}@example.org`;
    const error = await app.refused('invalid_input', 'addUser', { ...long, email, password: 'tiny-secret' });
    assert.deepEqual(
      error.extras.errors?.map(({ field, code, max, min }) => [field, code, max ?? min]),
      [
        ['username', 'too_long', 30],
        ['first_name', 'too_long', 30],
        ['last_name', 'too_long', 30],
        ['email', 'too_long', 75],
        ['password', 'too_short', 12],
      ],
    );
    assert.ok(!JSON.stringify([error.message, error.extras]).includes('tiny-secret'));
    const { id } = await app.data('addUser', { ...vera, username: 'u'.repeat(30), first_name: 'f'.repeat(30) });
    const change = await app.refused('invalid_input', 'updateUser', { userId: id, last_name: 'l'.repeat(31) });
    assert.deepEqual(fieldsOf(change), ['last_name']);
  });

  it('Users refuse what is no name, address, role or password', async () => {
    const wrong: [object, string][] = [
      [{ email: 'nobody' }, 'email'],
      [{ username: 'two words' }, 'username'],
      [{ username: '' }, 'username'],
      // Zero width, right to left, half of a pair: what is read is not what is compared.
      [{ username: 've\u200bra' }, 'username'],
      [{ username: 've\u202era' }, 'username'],
      [{ username: 'vera\ud800' }, 'username'],
      [{ user_role: 3 }, 'user_role'],
      [{ password: 'x'.repeat(129) }, 'password'],
      [{ active: 'yes' }, 'active'],
      [{ password_hash: 'scrypt$1' }, 'password_hash'],
      [{ profile: { api: true } }, 'profile'],
    ];
    for (const [change, field] of wrong) {
      const error = await app.refused('invalid_input', 'addUser', { ...vera, ...change });
      assert.deepEqual(fieldsOf(error), [field]);
    }
    assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'addUser', {})), ['username', 'email']);
  });

  it('Users have names that occur once, in upper or lower case', async () => {
    await app.data('addUser', vera);
    for (const username of ['vera', 'Vera', ' vera ']) {
      await app.refused('conflict', 'addUser', { ...vera, username });
    }
    await app.refused('conflict', 'updateUser', { userId: app.users.operator, username: 'VERA' });
    // The same name as another keyboard types it: one code point, or a letter and its dots.
    await app.data('addUser', { ...vera, username: 'J\u00fcrg' });
    await app.refused('conflict', 'addUser', { ...vera, username: 'Ju\u0308rg' });
    const own = await app.data('updateUser', { userId: app.users.operator, username: 'Operator' });
    assert.equal(own['username'], 'Operator');
  });

  it('Users are listed by role, state and words, never with a secret', async () => {
    await app.data('addUser', { ...vera, password: PASSWORD, user_role: 1 });
    assert.equal((await app.rows('getAllUsers', { user_role: 1 })).length, 3);
    const names = async (args: object): Promise<unknown[]> =>
      (await app.rows('getAllUsers', args)).map((row) => row['username']);
    assert.deepEqual(await names({ active: false }), ['gone']);
    assert.deepEqual(await names({ username: 'vera' }), ['vera']);
    assert.deepEqual(await names({ search: 'LUND' }), ['vera']);
    assert.deepEqual(await names({ search: 'example.org', sort: '-username', page: 2, pageSize: 2 }), [
      'operator',
      'gone',
    ]);
    assert.deepEqual(await names({ sort: 'username', pageSize: 2 }), ['admin', 'gone']);
    assert.ok(!JSON.stringify(await app.rows('getAllUsers', {})).includes('scrypt'));
    await app.refused('invalid_input', 'getAllUsers', { fields: 'password_hash' });
    await app.refused('invalid_input', 'getAllUsers', { sort: 'password_hash' });
  });

  it('Users change by what is sent alone, at the version that is expected', async () => {
    const { id } = await app.data('addUser', { ...vera, password: PASSWORD });
    const { etag } = await app.call('getUserById', { userId: id });
    const changed = await app.data('updateUser', { userId: id, first_name: 'Eva' }, { ifMatch: etag ?? '' });
    assert.deepEqual([changed['first_name'], changed['last_name'], changed['has_password']], ['Eva', 'Lund', true]);
    await app.refused('version_mismatch', 'updateUser', { userId: id, first_name: 'Ada' }, { ifMatch: etag ?? '' });
    await app.refused('version_mismatch', 'deleteUser', { userId: id }, { ifMatch: etag ?? '' });
    await app.refused('not_found', 'updateUser', { userId: 999, password: PASSWORD });
    await app.refused('not_found', 'getUserById', { userId: 999 });
  });

  it('Users have a password_version that counts their passwords; null takes the password away', async () => {
    const { id: userId } = await app.data('addUser', vera);
    const version = async (): Promise<unknown> => (await app.data('getUserProfile', { userId }))['password_version'];
    assert.equal(await version(), 0);
    await app.data('updateUser', { userId, password: PASSWORD });
    await app.data('updateUser', { userId, password: `${PASSWORD} 2` });
    assert.equal(await version(), 2);
    assert.equal((await app.data('updateUser', { userId, password: null }))['has_password'], false);
    assert.equal(await version(), 2);
  });

  it('changes of Users leave names of fields in the audit, no password', async () => {
    const { id: userId } = await app.data('addUser', { ...vera, password: PASSWORD });
    await app.data('updateUser', { userId, password: `${PASSWORD}!` });
    await app.refused('invalid_input', 'updateUser', { userId, password: 'tooshort123' });
    const [refused, changed] = await app.rows('getAuditLog', { operation: 'updateUser' });
    assert.deepEqual(
      [changed?.['changed'], changed?.['resource_id'], changed?.['outcome']],
      [['password'], userId, 'ok'],
    );
    assert.equal(refused?.['outcome'], 'invalid_input');
    const everything = JSON.stringify(await documentOf(app.store));
    assert.ok(!everything.includes(PASSWORD) && !everything.includes('tooshort123'));
  });
});

describe('the last active Administrator', () => {
  const ways: [string, string, object][] = [
    ['deleted', 'deleteUser', {}],
    ['demoted', 'updateUser', { user_role: 2 }],
    ['demoted by the profile', 'updateUserProfile', { role: 2 }],
    ['demoted by the profile, in other words', 'updateUserProfile', { admin: false }],
    ['made inactive', 'updateUser', { active: false }],
  ];
  for (const [what, operation, change] of ways) {
    it(`the last active Administrator cannot be ${what}`, async () => {
      const { admin, plain } = app.users;
      await app.data(operation, { userId: plain, ...change });
      const error = await app.refused('conflict', operation, { userId: admin, ...change });
      assert.match(error.message, /last System Administrator who can get in/u);
      const { user_role, active } = await app.data('getUserById', { userId: admin });
      assert.deepEqual([user_role, active], [1, true]);
    });

    it(`the last active Administrator cannot be ${what} by two calls at once`, async () => {
      const { admin, plain } = app.users;
      const outcomes = await Promise.allSettled(
        [admin, plain].map((userId) => app.call(operation, { userId, ...change })),
      );
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      assert.equal((await app.rows('getAllUsers', { user_role: 1, active: true })).length, 1);
    });
  }

  it('the last active Administrator is one who can get in: with a password, or with a token that is accepted', async () => {
    const { admin, plain } = app.users;
    const refused = async (): Promise<void> => {
      for (const change of [{ active: false }, { user_role: 2 }, { password: null }])
        await app.refused('conflict', 'updateUser', { userId: admin, ...change });
      await app.refused('conflict', 'deleteUser', { userId: admin });
    };
    await app.data('updateUser', { userId: admin, password: PASSWORD });
    await refused();
    const { kid } = await app.data('createApiToken', { name: 'plain', userId: plain, expires_days: 1 });
    await app.data('updateUser', { userId: admin, password: null });
    await app.data('updateUser', { userId: admin, password: PASSWORD });
    await app.data('revokeApiToken', { kid });
    await refused();
    await app.data('createApiToken', { name: 'plain again', userId: plain, expires_days: 1 });
    app.clock.advance(86_400_000);
    await refused();
    await app.data('updateUser', { userId: plain, password: PASSWORD });
    await app.data('deleteUser', { userId: admin }, { user: 'plain' });
  });

  it('the last active Administrator may change all else, and step down once there is another', async () => {
    const { admin, plain, operator } = app.users;
    await app.data('deleteUser', { userId: plain });
    assert.equal(
      (await app.data('updateUser', { userId: admin, email: 'new@example.org' }))['email'],
      'new@example.org',
    );
    await app.data('updateUser', { userId: operator, user_role: 1 });
    assert.equal((await app.data('updateUser', { userId: admin, user_role: 2 }))['user_role'], 2);
  });
});

describe('the User profile', () => {
  it('the User profile has one role, whichever operation it changes by', async () => {
    const userId = app.users.operator;
    const both = async (): Promise<unknown[]> => {
      const { role, admin } = await app.data('getUserProfile', { userId });
      return [(await app.data('getUserById', { userId }))['user_role'], role, admin];
    };
    assert.deepEqual(await both(), [2, 2, false]);
    await app.data('updateUser', { userId, user_role: 1 });
    assert.deepEqual(await both(), [1, 1, true]);
    await app.data('updateUserProfile', { userId, role: 2 });
    assert.deepEqual(await both(), [2, 2, false]);
    await app.data('updateUserProfile', { userId, admin: true });
    assert.deepEqual(await both(), [1, 1, true]);
    const error = await app.refused('rule_violated', 'updateUserProfile', { userId, admin: true, role: 2 });
    assert.deepEqual(fieldsOf(error), ['admin']);
  });

  it('the User profile has language and the right to issue tokens; the rest is read-only', async () => {
    const userId = app.users.operator;
    const changed = await app.data('updateUserProfile', { userId, api: true, language: 'de-CH' });
    assert.deepEqual(changed, { userId, role: 2, admin: false, api: true, language: 'de-CH', password_version: 1 });
    assert.deepEqual(await app.data('getUserProfile', { userId }), changed);
    for (const change of [{ password_version: 9 }, { language: 'not a tag' }, { api: 'yes' }, { role: 3 }]) {
      const error = await app.refused('invalid_input', 'updateUserProfile', { userId, ...change });
      assert.deepEqual(fieldsOf(error), Object.keys(change));
    }
    const { etag } = await app.call('getUserProfile', { userId });
    await app.data('updateUserProfile', { userId, api: false }, { ifMatch: etag ?? '' });
    await app.refused('version_mismatch', 'updateUserProfile', { userId, api: true }, { ifMatch: etag ?? '' });
  });

  it('the User profile gives nobody the right to issue tokens by itself', async () => {
    const { id: userId } = await app.data('addUser', { ...vera, user_role: 1 });
    assert.equal((await app.data('getUserProfile', { userId }))['api'], false);
  });
});

describe('Tokens and sessions of a User', () => {
  let sessions: Sessions;
  let userId: number;
  let token: string;
  let cookie: string;

  beforeEach(async () => {
    sessions = createSessions(app);
    userId = (await app.data('addUser', { ...vera, password: PASSWORD })).id;
    token = String((await app.data('createApiToken', { name: 'robot', userId }))['token']);
    const signedIn = await sessions.signIn({ username: 'vera', password: PASSWORD, address: 'a', requestId: 'r' });
    cookie = signedIn.secret;
  });

  const works = async (): Promise<[boolean, boolean]> => {
    const outcome = (call: Promise<unknown>): Promise<boolean> =>
      call.then(
        () => true,
        (error: unknown) => {
          assert.ok(error instanceof AppError && error.code === 'unauthenticated', String(error));
          return false;
        },
      );
    return [await outcome(createAuth(app).authenticate(token, ORIGIN)), await outcome(sessions.authenticate(cookie))];
  };

  it('tokens and sessions stop at once when the User is not active; the tokens come back, the sessions do not', async () => {
    assert.deepEqual(await works(), [true, true]);
    await app.data('updateUser', { userId, active: false });
    assert.deepEqual(await works(), [false, false]);
    await app.refused('rule_violated', 'createApiToken', { name: 'x', userId });
    await app.data('updateUser', { userId, active: true });
    assert.deepEqual(await works(), [true, false]);
  });

  it('tokens and sessions are gone with the User, and so is the membership', async () => {
    const group = await app.data('addUserGroup', { name: 'Night', elements: [app.users.operator, userId] });
    await app.data('deleteUser', { userId });
    assert.deepEqual(await works(), [false, false]);
    const [row] = await app.rows('getAllUserGroups', {});
    assert.deepEqual([row?.id, row?.['elements']], [group.id, [app.users.operator]]);
    assert.deepEqual(await app.rows('listApiTokens', { search: 'robot' }), []);
    assert.equal((await app.store.find('sessions', {})).total, 0);
    await app.refused('not_found', 'getUserById', { userId });
  });

  it('a new password of a User ends the sessions and leaves the tokens', async () => {
    await app.data('updateUser', { userId, password: `${PASSWORD} 2` });
    assert.deepEqual(await works(), [true, false]);
  });

  it('a demotion of a User is in force for what is open already', async () => {
    await app.data('updateUser', { userId, user_role: 1 });
    await app.data('createApiToken', { name: 'way in' });
    assert.equal((await sessions.authenticate(cookie)).role, 1);
    await app.data('updateUserProfile', { userId, role: 2 });
    assert.equal((await sessions.authenticate(cookie)).role, 2);
    assert.equal((await createAuth(app).authenticate(token, ORIGIN)).role, 2);
  });

  it('an expired token is refused, and a User who may not issue tokens cannot', async () => {
    const short = await app.data('createApiToken', { name: 'day', userId, expires_days: 1 });
    app.clock.advance(86_400_000 - 1);
    assert.equal((await createAuth(app).authenticate(String(short['token']), ORIGIN)).userId, userId);
    app.clock.advance(1);
    await assert.rejects(createAuth(app).authenticate(String(short['token']), ORIGIN), { code: 'unauthenticated' });
    const caller = await createAuth(app).authenticate(token, ORIGIN);
    assert.equal(caller.api, false);
  });
});

describe('User groups', () => {
  it('User groups are created, listed, changed and deleted; the members stay', async () => {
    const { admin, operator } = app.users;
    const group = await app.data('addUserGroup', { name: 'Night', elements: [admin] });
    assert.deepEqual(group['elements'], [admin]);
    const changed = await app.data('updateUserGroup', { groupId: group.id, elements: [operator, admin] });
    assert.deepEqual([changed['name'], changed['elements']], ['Night', [operator, admin]]);
    assert.deepEqual(await app.rows('getAllUserGroups', { search: 'nig' }), [changed]);
    assert.deepEqual(await app.data('deleteUserGroup', { groupId: group.id }), { id: group.id, deleted: true });
    assert.equal((await app.rows('getAllUsers')).length, 4);
    await app.refused('not_found', 'deleteUserGroup', { groupId: group.id });
  });

  it('User groups hold existing Users, each once, under a name of their own', async () => {
    const { admin, operator } = app.users;
    const group = await app.data('addUserGroup', { name: 'Night' });
    assert.deepEqual(group['elements'], []);
    const missing = await app.refused('rule_violated', 'addUserGroup', { name: 'Day', elements: [admin, 999] });
    assert.deepEqual(fieldsOf(missing), ['elements.1']);
    const twice = await app.refused('rule_violated', 'updateUserGroup', {
      groupId: group.id,
      elements: [operator, admin, operator],
    });
    assert.deepEqual(fieldsOf(twice), ['elements.2']);
    await app.refused('conflict', 'addUserGroup', { name: 'Night' });
    const error = await app.refused('invalid_input', 'addUserGroup', { name: 'Day', description: 'x' });
    assert.deepEqual(fieldsOf(error), ['description']);
  });
});
