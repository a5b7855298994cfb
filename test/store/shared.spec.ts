/** Several members of one store: what one commits, all have; and what they do while the database refuses or is away. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { toIso } from '../../domain/time/clock.ts';
import { KeyTaken, SCHEMA_VERSION, type Store } from '../../domain/ports/store.ts';
import { openStore } from '../../store/open.ts';
import { DatabaseClock } from '../../store/shared/database/database-clock.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { itLong } from '../helpers/counts.ts';
import { openLine } from '../helpers/line.ts';
import { letPass } from '../helpers/pass.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { freePort } from '../helpers/ports.ts';
import { documentOf, textOf } from '../helpers/store-document.ts';
import { until } from '../helpers/until.ts';
import { appendTo, listIn } from './lists.ts';
import { openMember, serversOnALine } from './shared-members.ts';
import { actionRow, auditRow, isAppError, livestream, type New } from './support.ts';

/** No renewal comes by itself, and nobody is taken for gone: who is answered has been told. */
const ASKED = { renewalMs: 3_600_000, goneMs: Infinity };

async function members(t: TestContext, count: number, url?: string): Promise<Store[]> {
  const address = url ?? (await (await sharedServer()).database());
  // All at once: one of them makes the schema.
  return Promise.all(Array.from({ length: count }, () => openMember(t, address)));
}

function entry(key: string, status: number): Omit<New<'idempotency'>, 'id'> {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  return { key, args_hash: 'hash', status, answer: '{}', sealed: false, expires_at };
}

describe('members of a shared store', () => {
  it('members find at once what another one was told is committed, and hear of it', async (t) => {
    const [one, two, three] = (await members(t, 3)) as [Store, Store, Store];
    const heard: string[] = [];
    three.onChange((changes) => heard.push(...changes.map(({ seq, collection, id }) => `${seq} ${collection} ${id}`)));
    for (let turn = 0; turn < 30; turn += 1) {
      const [writer, reader] = turn % 2 === 0 ? [one, two] : [two, one];
      const { id } = await writer.tx((tx) => tx.insert('plannedActions', actionRow(`${turn}`)));
      assert.equal((await reader.get('plannedActions', id))?.row.created_by, `${turn}`);
    }
    await until('the third has heard of all', () => heard.length === 30);
    assert.deepEqual(
      heard,
      Array.from({ length: 30 }, (_, at) => `${at + 1} plannedActions ${at + 1}`),
    );
    await one.tx((tx) => tx.insert('audit', auditRow('a')));
    assert.equal((await two.find('audit', {})).total, 1);
    assert.equal((await two.tx((tx) => tx.insert('audit', auditRow('b')))).id, 2);
  });

  it('members that write at the same time lose no update, and one of them gets a name', async (t) => {
    const all = await members(t, 3);
    const names = await Promise.allSettled(
      all.map((store) => store.tx((tx) => tx.insert('livestreams', livestream({ name: 'one of them' })))),
    );
    assert.equal(names.filter(({ status }) => status === 'fulfilled').length, 1);
    await Promise.all(
      all.flatMap((store, at) => Array.from({ length: 40 }, (_, turn) => appendTo(store, 'list', `${at}.${turn}`))),
    );
    const lists = await Promise.all(all.map((store) => listIn(store, 'list')));
    assert.equal(new Set(lists[0]).size, 120);
    for (const list of lists) assert.deepEqual(list, lists[0]);
  });

  it('members that commit swapped unique names have them all where they belong', async (t) => {
    const [one, two] = (await members(t, 2)) as [Store, Store];
    await one.tx((tx) => ['a', 'b'].forEach((name) => tx.insert('livestreams', livestream({ name }))));
    await one.tx((tx) => {
      const [a, b] = [tx.get('livestreams', 1)!, tx.get('livestreams', 2)!];
      tx.put('livestreams', { ...a, name: 'between' });
      tx.put('livestreams', { ...b, name: 'a' });
      tx.put('livestreams', { ...a, name: 'b' });
    });
    for (const store of [one, two]) {
      assert.equal((await store.find('livestreams', { where: { name: 'b' } })).rows[0]?.id, 1);
      for (const name of ['a', 'b'])
        await assert.rejects(
          store.tx((tx) => tx.insert('livestreams', livestream({ name }))),
          isAppError('conflict'),
        );
    }
  });

  it('members that get one call at once carry it out once, and a key counts no more when it has expired', async (t) => {
    const [one, two] = (await members(t, 2)) as [Store, Store];
    for (let turn = 0; turn < 20; turn += 1) {
      const outcomes = await Promise.allSettled(
        [one, two, one].map((store, at) =>
          store.tx((tx) => {
            tx.insert('plannedActions', actionRow(`${turn}`));
            tx.claimKey(entry(`key ${turn}`, 200 + at));
          }),
        ),
      );
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected')
          assert.ok(outcome.reason instanceof KeyTaken && outcome.reason.key === `key ${turn}`, String(outcome.reason));
      const found = await two.find('idempotency', { where: { key: `key ${turn}` } });
      assert.equal(found.rows[0]?.status, 200 + outcomes.findIndex(({ status }) => status === 'fulfilled'));
    }
    assert.equal((await one.find('plannedActions', {})).total, 20);
    await one.tx((tx) => tx.claimKey({ ...entry('old', 201), expires_at: '2026-01-01T00:00:00.000Z' }));
    await two.tx((tx) => tx.claimKey(entry('old', 202)));
    assert.equal((await one.find('idempotency', { where: { key: 'old' } })).rows[0]?.status, 202);
  });

  it('members take a lease from each other only when it has run out', async (t) => {
    const [one, two] = (await members(t, 2)) as [Store, Store];
    assert.equal((await one.claim('device 1', 'one', 60_000))?.token, 1);
    assert.equal(await two.claim('device 1', 'two', 60_000), undefined);
    await one.claim('device 1', 'one', 0);
    assert.equal((await two.claim('device 1', 'two', 60_000))?.token, 2);
  });

  it('members that are servers know each other, their rank, and who holds which lease', async (t) => {
    const url = await (await sharedServer()).database();
    const ids = [1, 2].map((number) => `7f6e7a4e-0000-4000-8000-00000000000${number}`) as [string, string];
    const first = await openMember(t, url, { server: { id: ids[0], name: 'first' } });
    await openMember(t, url);
    const second = await openMember(t, url, { server: { id: ids[1], name: 'second' } });
    await second.claim('housekeeping', ids[1], 60_000);
    const known = await second.members();
    assert.deepEqual(
      known.map(({ id, name, lag, leases }) => ({ id, name, lag, leases })),
      [
        { id: ids[0], name: 'first', lag: 0, leases: [] },
        { id: ids[1], name: 'second', lag: 0, leases: ['housekeeping'] },
      ],
    );
    assert.deepEqual([first.rank(), second.rank()], [0, 1]);
    // As after a kill, of which the database knows nothing yet: it takes its own place.
    await openMember(t, url, { server: { id: ids[0], name: 'first' } });
    assert.equal((await second.members()).length, 2);
  });

  it('a member that waits for the others is answered when each server has applied what it committed', async (t) => {
    const [one, , line] = await serversOnALine(t, await (await sharedServer()).database(), { waits: ASKED });
    await appendTo(one, 'list', 'before');
    await one.appliedByAll();
    line.stall('far');
    await appendTo(one, 'list', 'unheard');
    let isOver = false;
    const waiting = one.appliedByAll().then(() => (isOver = true));
    await letPass(300);
    assert.ok(!isOver, 'the other has not applied it');
    line.mend();
    await waiting;
  });

  it('members that are gone keep nobody waiting', async (t) => {
    const [one, two] = await serversOnALine(t, await (await sharedServer()).database(), { waits: ASKED });
    await two.close();
    await appendTo(one, 'list', 'after');
    await one.appliedByAll();
  });

  it('members hear notices of each other and of themselves, until they listen no more', async (t) => {
    const [one, two] = await serversOnALine(t, await (await sharedServer()).database());
    const heard: string[] = [];
    const end = one.onNotice((notice) => heard.push(`one ${notice}`));
    two.onNotice((notice) => heard.push(`two ${notice}`));
    await two.notify('a');
    await until('both heard it', () => heard.length === 2);
    end();
    await one.notify('b');
    await until('the other heard it', () => heard.length === 3);
    assert.deepEqual(heard.toSorted(), ['one a', 'two a', 'two b']);
  });

  it('members go by the clock of the database', async (t) => {
    const [one] = (await members(t, 1)) as [Store];
    assert.ok(one.clock instanceof DatabaseClock);
    await one.clock.measure({ query: () => Promise.resolve([[String(Date.UTC(2001, 5))]]) } as never);
    assert.match(
      toIso(one.clock.now()),
      /^2001-06-01T/u,
      'it is the year of the database, whatever that of this machine',
    );
  });

  it('members keep what no text of PostgreSQL can hold', async (t) => {
    const [one, two] = (await members(t, 2)) as [Store, Store];
    const name = 'nul \0 and half a pair \ud83d, with "quotes" and back\\slashes';
    const { id } = await one.tx((tx) => tx.insert('livestreams', livestream({ name })));
    const audited = await one.tx((tx) => tx.insert('audit', auditRow(name)));
    assert.equal((await two.get('livestreams', id))?.row.name, name);
    assert.equal((await two.get('audit', audited.id))?.row.user, name);
    assert.equal((await two.find('audit', { where: { user: name } })).total, 1);
    assert.equal((await two.find('audit', { search: 'half a pair' })).total, 1);
    const { collections } = await documentOf(two);
    assert.equal(collections.livestreams?.[0]?.row.name, name);
    assert.equal(collections.audit?.[0]?.row.user, name);
  });
});

describe('a database that refuses or is away', () => {
  it('a database that is away leaves reads, says how old they are, and makes writes wait', async (t) => {
    const url = new URL(await (await sharedServer()).database());
    const [port, nobody] = [Number(url.port), await freePort()];
    let isAway = false;
    const line = await openLine(() => (isAway ? nobody : port));
    cleanUp(t, () => line.close());
    url.port = String(line.port);
    // The first waits for less than callers do, the second for as long as it takes.
    const [one, two] = await Promise.all([
      openMember(t, url.href, { waits: { patienceMs: 500 } }),
      openMember(t, url.href, { waits: { patienceMs: 3_600_000 } }),
    ]);
    await appendTo(one, 'list', 'before');
    assert.deepEqual(await listIn(two, 'list'), ['before']);
    assert.equal(two.staleMs(), undefined);
    isAway = true;
    line.cut();
    const refused = assert.rejects(
      appendTo(one, 'list', 'refused'),
      (error) => isAppError('unavailable', /database/u)(error) && (error as never)['extras']['retryAfterSeconds'] === 2,
    );
    const unread = assert.rejects(one.find('audit', {}), isAppError('unavailable', /database/u));
    assert.deepEqual(await listIn(two, 'list'), ['before']);
    assert.ok((two.staleMs() ?? 0) > 0);
    await Promise.all([refused, unread]);
    assert.deepEqual(one.health(), { ok: false, problem: 'the database does not answer, or takes no writes' });
    const waiting = appendTo(two, 'list', 'after');
    isAway = false;
    assert.deepEqual(await waiting, ['before', 'after']);
    await until('both are at the head again', () => one.staleMs() === undefined && two.staleMs() === undefined);
    assert.deepEqual(await listIn(two, 'list'), ['before', 'after']);
    await until('health says so', () => one.health().ok && two.health().ok);
  });

  it('a server that the database leaves without an answer is not ready soon after, and is again once it answers', async (t) => {
    const [one, two, line] = await serversOnALine(t, await (await sharedServer()).database());
    line.stall();
    await until('the one is not ready', () => !two.health().ok);
    assert.ok(one.health().ok);
    line.mend();
    await until('it is again', () => two.health().ok);
  });

  it('a database that is read-only refuses writes, and takes them again without a restart', async (t) => {
    const running = await sharedServer();
    const url = await running.database();
    const one = await openMember(t, url, { waits: { patienceMs: 3_600_000 } });
    await appendTo(one, 'list', 'before');
    const put = async (setting: string): Promise<void> => {
      await running.query(`alter system ${setting}`);
      await running.reload();
    };
    cleanUp(t, () => put('reset default_transaction_read_only'));
    await put('set default_transaction_read_only = on');
    const waiting = appendTo(one, 'list', 'after');
    await until('it says so', () => !one.health().ok);
    assert.deepEqual(await listIn(one, 'list'), ['before']);
    assert.equal(one.staleMs(), undefined);
    await put('reset default_transaction_read_only');
    assert.deepEqual(await waiting, ['before', 'after']);
  });

  itLong('a database that has lost commits ends each member on its first look', async (t) => {
    const url = await (await sharedServer()).database();
    const reasons: string[] = [];
    const [one, two] = await Promise.all(
      [1, 2].map(() =>
        openMember(t, url, { waits: { patienceMs: 3_600_000 }, onEnd: (reason) => void reasons.push(reason) }),
      ),
    );
    await appendTo(one!, 'list', 'kept');
    await (
      await sharedServer()
    ).goBack(url, async () => {
      await appendTo(one!, 'list', 'lost');
      await until('the other has the database again', () => two!.staleMs() === undefined);
      assert.deepEqual(await listIn(two!, 'list'), ['kept', 'lost']);
    });
    await assert.rejects(appendTo(one!, 'list', 'more'), isAppError('unavailable', /store_rewound/u));
    await until('both have ended', () => reasons.length === 2);
    await assert.rejects(listIn(two!, 'list'), isAppError('unavailable', /store_rewound/u));
    assert.deepEqual(await listIn(await openMember(t, url), 'list'), ['kept']);
  });
});

describe('the schema of a shared store', () => {
  const migrations = {
    [SCHEMA_VERSION]: ({
      collections,
    }: {
      collections: Map<string, Map<number, { row: Record<string, unknown> }>>;
    }) => {
      for (const { row } of collections.get('livestreams')?.values() ?? [])
        row['name'] = `${String(row['name'])}, migrated`;
    },
  };
  const newer = { schemaVersion: SCHEMA_VERSION + 1, migrations };

  it('a schema of an older version is brought forward once no member runs that knows no other', async (t) => {
    const url = await (await sharedServer()).database();
    const old = await openMember(t, url);
    await old.tx((tx) => ['a', 'b'].forEach((name) => tx.insert('livestreams', livestream({ name }))));
    await assert.rejects(
      openStore({ kind: 'postgres', url, warn: () => undefined, ...newer }),
      isAppError(
        'unavailable',
        new RegExp(`version ${SCHEMA_VERSION}, and .* to ${SCHEMA_VERSION + 1}.*running since`, 'u'),
      ),
    );
    await old.close();
    const store = await openMember(t, url, newer);
    const { rows } = await store.find('livestreams', {});
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['a, migrated', 'b, migrated'],
    );
    assert.equal((await store.tx((tx) => tx.insert('livestreams', livestream({ name: 'c' })))).id, 3);
    await assert.rejects(
      openStore({ kind: 'postgres', url, warn: () => undefined }),
      isAppError('unavailable', new RegExp(`version ${SCHEMA_VERSION + 1}.*version ${SCHEMA_VERSION}`, 'u')),
    );
  });

  it('an import that was cut short leaves a database that no member uses', async (t) => {
    const url = await (await sharedServer()).database();
    const store = await openMember(t, url);
    await store.tx((tx) => tx.insert('livestreams', livestream({ name: 'a' })));
    const document = await documentOf(store);
    const other = await (await sharedServer()).database();
    const target = await openMember(t, other);
    const [text = ''] = textOf(document)();
    let readings = 0;
    const cutShort = new Error('as a file that is gone');
    await assert.rejects(
      target.importDocument(function* () {
        readings += 1;
        if (readings > 1) throw cutShort;
        yield text;
      }),
      cutShort,
    );
    await target.close();
    await assert.rejects(openMember(t, other), isAppError('unavailable', /import .* cut short/u));
  });
});
