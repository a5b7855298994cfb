import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAuth } from '../../auth/auth.ts';
import { bootstrap } from '../../auth/bootstrap.ts';
import { verifyPassword } from '../../toolkit/passwords.ts';
import { systemClock as clock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import { openStore } from '../../store/open.ts';
import { documentOf } from '../helpers/store-document.ts';
import { weakenPasswords } from '../helpers/weak-hash.ts';

const ORIGIN = { via: 'rest', requestId: 'r-1' } as const;

weakenPasswords();

describe('bootstrap', () => {
  it('bootstrap creates the admin and a token that works, with the secrets stored as hashes only', async () => {
    const store = await openStore({ kind: 'memory' });
    const first = await bootstrap({ store, clock });
    assert.ok(first?.password);
    const caller = await createAuth({ store, clock }).authenticate(first.token, ORIGIN);
    assert.equal(caller.username, 'admin');
    assert.equal(caller.role, 1);
    assert.equal(caller.api, true);
    const [user] = (await store.find('users', {})).rows;
    assert.ok(user);
    assert.equal(await verifyPassword(first.password, user.password_hash), true);
    assert.deepEqual(user.profile, { api: true, language: 'en', password_version: 1 });
    const everything = JSON.stringify(await documentOf(store));
    assert.ok(!everything.includes(first.token) && !everything.includes(first.password));
    assert.equal((await store.find('tokens', {})).rows[0]?.name, 'bootstrap');
  });

  it('bootstrap gives no password where nobody would see it', async () => {
    const store = await openStore({ kind: 'memory' });
    const first = await bootstrap({ store, clock, password: null });
    assert.equal(first?.password, null);
    const [user] = (await store.find('users', {})).rows;
    assert.deepEqual([user?.password_hash, user?.profile.password_version], ['', 0]);
  });

  it('bootstrap takes the secrets that are given', async () => {
    const store = await openStore({ kind: 'memory' });
    const given = { token: 'a-token-of-24-characters', password: 'twelve chars' };
    assert.deepEqual(await bootstrap({ store, clock, ...given }), given);
    assert.equal((await createAuth({ store, clock }).authenticate(given.token, ORIGIN)).username, 'admin');
  });

  it('bootstrap hands out the token before it is stored, and leaves the store empty when it cannot be kept', async () => {
    const store = await openStore({ kind: 'memory' });
    const keep = (): never => {
      throw new Error('no room');
    };
    await assert.rejects(bootstrap({ store, clock, keep }), /no room/u);
    assert.equal((await store.find('users', {})).total, 0);
    const kept: string[] = [];
    const first = await bootstrap({ store, clock, keep: (token) => void kept.push(token) });
    assert.deepEqual(kept, [first?.token]);
    await bootstrap({ store, clock, keep: (token) => void kept.push(token) });
    assert.equal(kept.length, 1);
  });

  it('bootstrap does nothing on a store with users', async () => {
    const store = await openStore({ kind: 'memory' });
    await bootstrap({ store, clock });
    assert.equal(await bootstrap({ store, clock, token: 'another-token-of-24-characters' }), undefined);
    assert.equal((await store.find('users', {})).total, 1);
    assert.equal((await store.find('tokens', {})).total, 1);
  });

  it('bootstrap lets one of two starts at once create the admin', async () => {
    const store = await openStore({ kind: 'memory' });
    const answers = await Promise.all([bootstrap({ store, clock }), bootstrap({ store, clock })]);
    assert.equal(answers.filter((answer) => answer !== undefined).length, 1);
    assert.equal((await store.find('users', {})).total, 1);
  });

  it('bootstrap refuses weak secrets and writes nothing', async () => {
    const store = await openStore({ kind: 'memory' });
    const weak = [
      { token: 'x'.repeat(23) },
      { token: `${'x'.repeat(24)} y` },
      { token: 'ü'.repeat(24) },
      { password: 'eleven char' },
    ];
    for (const secrets of weak) {
      await assert.rejects(
        bootstrap({ store, clock, ...secrets }),
        (error) => error instanceof AppError && error.code === 'invalid_input',
      );
    }
    assert.equal((await store.find('users', {})).total, 0);
  });
});
