/** Two servers over one database: a call that reaches both at once has one effect, and what one revokes the other refuses. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { z } from 'zod/v3';
import { createAuth, type Auth } from '../../auth/auth.ts';
import type { Control } from '../../domain/ports/control.ts';
import { hashToken, type ApiToken } from '../../domain/shapes/installation/security.ts';
import type { Store } from '../../domain/ports/store.ts';
import { profileByName, profiles } from '../../profiles/profiles.ts';
import { createCatalogue } from '../../toolkit/catalogue.ts';
import { createDispatcher, type Dispatcher } from '../../toolkit/dispatch.ts';
import { dataOf } from '../../toolkit/output/page.ts';
import { defineTool } from '../../toolkit/tool.ts';
import { surroundings } from '../app/surroundings.ts';
import { addUsers } from '../app/users.ts';
import { countOf } from '../helpers/counts.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { until } from '../helpers/until.ts';
import { silentLog } from '../helpers/silent-log.ts';
import { openMember } from '../store/shared-members.ts';
import { livestream } from '../store/support.ts';

const CALLS = countOf(60, 200);

/** Its second effect under one name would be refused, and that refusal must not be what a caller hears either. */
const add = defineTool({
  name: 'add',
  summary: '',
  description: '',
  tag: 'Tests',
  aliases: [],
  access: 'operator',
  effect: 'create',
  rest: 'POST /tests/add',
  input: z.object({ name: z.string(), unique: z.boolean() }).strict(),
  output: dataOf(z.object({ id: z.number() }).strict()),
  handle: async (ctx, { name, unique }) =>
    ctx.commit((tx, now) => {
      const row = { ...livestream({ name }), created_at: now };
      const { id } = unique
        ? tx.insert('livestreams', row)
        : tx.insert('plannedActions', { livestreamId: 1, type: 'stop', created_by: name } as never);
      return { body: { data: { id } } };
    }),
});

const lock = defineTool({
  name: 'lock',
  summary: '',
  description: '',
  tag: 'Tests',
  aliases: [],
  access: 'operator',
  effect: 'create',
  rest: 'POST /tests/lock',
  endsAccess: () => true,
  input: z.object({ name: z.string() }).strict(),
  output: dataOf(z.object({ id: z.number() }).strict()),
  handle: async (ctx, { name }) =>
    ctx.commit((tx, now) => ({
      body: { data: { id: tx.insert('livestreams', { ...livestream({ name }), created_at: now }).id } },
    })),
});

interface Member {
  readonly store: Store;
  readonly dispatcher: Dispatcher;
  readonly auth: Auth;
}

function dispatcherOf(store: Store): Dispatcher {
  return createDispatcher({
    catalogue: createCatalogue([add, lock], []),
    profiles,
    store,
    control: {} as Control,
    clock: store.clock,
    log: silentLog,
    ...surroundings(),
  });
}

async function members(t: TestContext): Promise<[Member, Member]> {
  const url = await (await sharedServer()).database();
  const member = async (): Promise<Member> => {
    const store = await openMember(t, url);
    return { store, dispatcher: dispatcherOf(store), auth: createAuth({ store, clock: store.clock }) };
  };
  return Promise.all([member(), member()]);
}

const caller = { userId: 1, username: 'admin', role: 1, api: true, tokenKid: 'k', sealKey: Buffer.alloc(32) } as const;
const from = { caller, via: 'rest', profile: profileByName('full'), requestId: 'r' } as const;

describe('two servers over one database', () => {
  it(`a call that reaches two servers at once has one effect, ${CALLS} times`, async (t) => {
    const [one, two] = await members(t);
    for (let turn = 0; turn < CALLS; turn += 1) {
      const unique = turn % 2 === 0;
      const call = { operation: 'add', args: { name: `call ${turn}`, unique }, ...from, idempotencyKey: `key ${turn}` };
      const replies = await Promise.all([one, two].map(({ dispatcher }) => dispatcher.dispatch(call)));
      assert.deepEqual(replies[0]!.body, replies[1]!.body);
      assert.deepEqual(replies.map(({ replayed }) => replayed).sort(), [false, true]);
      const again = await two.dispatcher.dispatch(call);
      assert.deepEqual([again.replayed, again.body], [true, replies[0]!.body]);
    }
    const counts = [
      (await one.store.find('livestreams', {})).total,
      (await one.store.find('plannedActions', {})).total,
      (await one.store.find('audit', { where: { outcome: 'ok' } })).total,
    ];
    assert.deepEqual(counts, [CALLS / 2, CALLS / 2, CALLS]);
    const other = { operation: 'add', args: { name: 'other', unique: true }, ...from, idempotencyKey: 'key 0' };
    await assert.rejects(two.dispatcher.dispatch(other), { code: 'idempotency_mismatch' });
  });

  it('a token that one server revokes is refused by the other at once', async (t) => {
    const [one, two] = await members(t);
    await addUsers(one.store);
    for (let turn = 0; turn < 20; turn += 1) {
      const secret = `token ${turn} of a test`;
      const { id } = await one.store.tx((tx) =>
        tx.insert('tokens', {
          name: secret,
          kid: `kid ${turn}`,
          userId: 1,
          token_hash: hashToken(secret),
          expires_at: null,
          revoked_at: null,
        } as unknown as Omit<ApiToken, 'id'>),
      );
      const origin = { requestId: 'r', via: 'rest' } as never;
      assert.equal((await two.auth.authenticate(secret, origin)).userId, 1);
      await one.store.tx((tx) =>
        tx.put('tokens', { ...tx.get('tokens', id)!, revoked_at: '2026-01-01T00:00:00.000Z' }),
      );
      await assert.rejects(two.auth.authenticate(secret, origin), { code: 'unauthenticated' });
    }
  });

  it('a call that takes access away is answered once the other server has applied it', async (t) => {
    const [one, two] = await members(t);
    const waits: string[] = [];
    let release: () => void = () => undefined;
    const store: Store = Object.assign(Object.create(one.store) as Store, {
      appliedByAll: async () => {
        waits.push('asked');
        await new Promise<void>((done) => (release = done));
      },
    });
    const dispatcher = dispatcherOf(store);
    let answers = 0;
    const call = { operation: 'lock', args: { name: 'locked' }, ...from, idempotencyKey: 'lock' };
    const waiting = dispatcher.dispatch(call).then(() => (answers += 1));
    await until('it waits', () => waits.length === 1);
    assert.equal((await two.store.find('livestreams', {})).total, 1, 'it is done already');
    assert.equal(answers, 0);
    release();
    await waiting;
    const again = dispatcher.dispatch(call);
    await until('a repetition waits, too', () => waits.length === 2);
    release();
    assert.equal((await again).replayed, true);
  });

  it('a caller is not refused but asked to come again when nobody has known for a minute who may come in', async (t) => {
    const [one] = await members(t);
    const stale = (ms: number): Auth =>
      createAuth({
        store: {
          find: (collection, query) => one.store.find(collection, query),
          get: (collection, id) => one.store.get(collection, id),
          tx: (plan) => one.store.tx(plan),
          health: () => one.store.health(),
          staleMs: () => ms,
        },
        clock: one.store.clock,
      });
    const origin = { requestId: 'r', via: 'rest' } as never;
    await assert.rejects(stale(59_000).authenticate('unknown token', origin), { code: 'unauthenticated' });
    await assert.rejects(stale(61_000).authenticate('unknown token', origin), { code: 'unavailable' });
  });
});
