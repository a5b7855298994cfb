/** Registrations, codes and tokens of OAuth across a restart, and over two servers on one database. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { createAuth } from '../../auth/auth.ts';
import { createOAuth } from '../../auth/oauth/oauth.ts';
import type { Store } from '../../domain/ports/store.ts';
import { toIso } from '../../domain/time/clock.ts';
import { openStore } from '../../store/open.ts';
import { addUsers } from '../app/users.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { openMember } from '../store/shared-members.ts';

const DAY_MS = 86_400_000;
const VERIFIER = 'v'.repeat(43);
const REDIRECT = 'https://assistant.example/cb';
const requestId = 'r';
const oauthOf = (store: Store) => createOAuth({ store, clock: store.clock });

/** Answers a code that the program may exchange. */
async function consent(store: Store, clientId: string): Promise<string> {
  const oauth = oauthOf(store);
  return oauth.consent({
    userId: 1,
    target: { client: await oauth.clients.get(clientId), redirectUri: REDIRECT, state: undefined },
    request: { challenge: createHash('sha256').update(VERIFIER).digest('base64url'), profiles: ['operator'] },
    profile: 'operator',
    operations: null,
    days: null,
    requestId,
  });
}

async function register(store: Store): Promise<string> {
  return (await oauthOf(store).clients.register({ client_name: 'A', redirect_uris: [REDIRECT] }, '')).client_id;
}

const exchange = (store: Store, clientId: string, code: string) =>
  oauthOf(store).exchange({ code, clientId, redirectUri: REDIRECT, verifier: VERIFIER, requestId });
const isIn = (store: Store, token: string): Promise<boolean> =>
  createAuth({ store, clock: store.clock })
    .authenticate(token, { via: 'mcp', resource: 'mcp', requestId })
    .then(
      () => true,
      () => false,
    );

async function twoServers(t: TestContext): Promise<[Store, Store]> {
  const url = await (await sharedServer()).database();
  const stores = await Promise.all([openMember(t, url), openMember(t, url)]);
  await addUsers(stores[0]);
  return stores;
}

describe('OAuth and its store', () => {
  it('a registration, a code and a refresh token outlive a restart', async (t) => {
    const dir = testFolder(t, 'oauth');
    let store = await openStore({ kind: 'lowdb', dir });
    const reopen = async (): Promise<void> => {
      await store.close();
      store = await openStore({ kind: 'lowdb', dir });
    };
    await addUsers(store);
    const clientId = await register(store);
    await reopen();
    const code = await consent(store, clientId);
    await reopen();
    const first = await exchange(store, clientId, code);
    await reopen();
    const refresh = { refreshToken: first.refresh_token, clientId, scope: undefined, requestId };
    const second = await oauthOf(store).refresh(refresh);
    assert.ok(await isIn(store, second.access_token));
    await reopen();
    await assert.rejects(oauthOf(store).refresh(refresh), /was used/u);
    await assert.rejects(exchange(store, clientId, code), /was used/u);
    assert.equal(await isIn(store, second.access_token), false);
    await store.close();
  });

  it('what one server gives counts at the other at once, and what is used there counts no more here', async (t) => {
    const [one, two] = await twoServers(t);
    const clientId = await register(one);
    const code = await consent(two, clientId);
    const first = await exchange(one, clientId, code);
    assert.ok(await isIn(two, first.access_token));
    const refresh = { refreshToken: first.refresh_token, clientId, scope: undefined, requestId };
    const second = await oauthOf(two).refresh(refresh);
    assert.deepEqual([await isIn(one, first.access_token), await isIn(one, second.access_token)], [false, true]);
    await assert.rejects(oauthOf(one).refresh(refresh), /was used/u);
    assert.equal(await isIn(two, second.access_token), false);
  });

  it('a code that reaches two servers at once gives access once at most, and none that lasts', async (t) => {
    const [one, two] = await twoServers(t);
    const clientId = await register(one);
    const code = await consent(one, clientId);
    const given = await Promise.allSettled([one, two].map((store) => exchange(store, clientId, code)));
    const tokens = given.flatMap((each) => (each.status === 'fulfilled' ? [each.value.access_token] : []));
    assert.equal(tokens.length, 1);
    assert.equal(await isIn(two, tokens[0]!), false);
  });

  it('calls of a program that meet the end of an access token at once refresh it once', async (t) => {
    const store = await openStore({ kind: 'memory' });
    t.after(() => store.close());
    await addUsers(store);
    const clientId = await register(store);
    const { refresh_token: refreshToken } = await exchange(store, clientId, await consent(store, clientId));
    const oauth = oauthOf(store);
    const refresh = { refreshToken, clientId, scope: undefined, requestId };
    const answers = await Promise.all([oauth.refresh(refresh), oauth.refresh(refresh), oauth.refresh(refresh)]);
    assert.equal(new Set(answers.map(({ access_token }) => access_token)).size, 1);
    assert.ok(await isIn(store, answers[0]!.access_token));
  });

  it('what has ended and cannot be used again is deleted a month later, a bounded number at a time, and nothing else', async (t) => {
    const clock = new FakeClock();
    const store = await openStore({ kind: 'memory', clock });
    t.after(() => store.close());
    await addUsers(store);
    const clientId = await register(store);
    const connect = async () => exchange(store, clientId, await consent(store, clientId));
    const texts = [];
    for (let n = 0; n < 25; n += 1) texts.push((await connect()).access_token);
    const kept = await connect();
    const rows = async () => (await store.find('tokens', {})).rows;
    const [one] = (await rows()).filter(({ oauth }) => oauth !== undefined);
    const { id: _id, ...like } = one!;
    const past = toIso(clock.now());
    await store.tx((tx) => {
      tx.insert('tokens', { ...like, kid: 'plain', token_hash: 'plain', oauth: undefined, expires_at: past });
      const oauth = { ...like.oauth!, issuer: 'https://login.example' };
      tx.insert('tokens', { ...like, kid: 'elsewhere', token_hash: 'elsewhere', oauth, revoked_at: past });
    });
    for (const token of texts) await oauthOf(store).revoke({ token, clientId, requestId });
    const before = (await rows()).length;
    clock.advance(20 * DAY_MS);
    const { refresh_token } = await oauthOf(store).refresh({
      refreshToken: kept.refresh_token,
      clientId,
      scope: undefined,
      requestId,
    });
    await connect();
    assert.equal((await rows()).length, before + 1, 'they ended less than a month ago');
    clock.advance(11 * DAY_MS);
    await connect();
    assert.equal((await rows()).length, before + 2 - 20);
    await connect();
    const left = await rows();
    assert.equal(left.length, before + 3 - 25);
    for (const kid of ['plain', 'elsewhere'])
      assert.ok(
        left.some((row) => row.kid === kid),
        kid,
      );
    await oauthOf(store).refresh({ refreshToken: refresh_token, clientId, scope: undefined, requestId });
    const codes = (await store.find('oauthCodes', {})).rows;
    assert.ok(codes.length < 25, `${codes.length} codes`);
  });
});
