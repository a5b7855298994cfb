/** ONAIR_ARCHIVE: what lies in a real bucket is what the store had, on both stores, whatever fails in between. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { IncomingRoom } from '../../device/incoming-space.ts';
import { parseBucketAddress } from '../../domain/network/bucket-address.ts';
import type { ArchiveBucket } from '../../domain/ports/archive-bucket.ts';
import type { Store, Tx } from '../../domain/ports/store.ts';
import type { ArchivedName, ArchiveState } from '../../domain/shapes/installation/archive.ts';
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { openArchiveBucket } from '../../integrations/archive-bucket.ts';
import { s3Client } from '../../integrations/folders/s3.ts';
import { HistoryArchive } from '../../scheduler/archive/history-archive.ts';
import { archiveFindings } from '../../system/health/services.ts';
import type { AlarmFacts } from '../../domain/shapes/installation/alarm-facts.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { itLong } from '../helpers/counts.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { documentOf, textOf } from '../helpers/store-document.ts';
import { openStore } from '../../store/open.ts';
import { openMember } from '../store/shared-members.ts';
import { auditRow, eventRow, openedStore, temporaryFolder } from '../store/support.ts';
import { startS3 } from '../helpers/servers/s3.ts';
import type { Running } from '../helpers/servers/program.ts';
import { until } from '../helpers/until.ts';

const KEYS = { accessKey: 'archive-access-key', secretKey: 'archive-secret-key' };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let s3: Running;
before(async () => {
  s3 = await startS3(KEYS.accessKey, KEYS.secretKey);
});
after(() => s3.stop());

const STORES: Record<string, (t: TestContext, clock: FakeClock) => Promise<Store>> = {
  lowdb: async (t, clock) => openedStore({ dir: await temporaryFolder(t), clock }),
  postgres: async (t, clock) => openMember(t, await (await sharedServer()).database(), { clock }),
};

/** A store whose history is archived below a prefix of its own, and what is asked of both. */
class Archived {
  readonly warnings: string[] = [];
  readonly prefix: string;
  readonly store: Store;
  readonly clock: FakeClock;
  private readonly t: TestContext;
  private readonly dir = mkdtempSync(join(tmpdir(), 'onair-archive-'));
  private duties: HistoryArchive[] = [];
  /** Number of duties that wait for their next look, and have done what was due. */
  private waiting = 0;

  private constructor(t: TestContext, store: Store, clock: FakeClock) {
    this.t = t;
    this.store = store;
    this.clock = clock;
    this.prefix = `station-${createHash('sha256').update(this.dir).digest('hex').slice(0, 8)}`;
    cleanUp(t, () => {
      this.end();
      rmSync(this.dir, { recursive: true, force: true });
    });
  }

  static async open(t: TestContext, kind: string): Promise<Archived> {
    const clock = new FakeClock('2026-11-28T10:00:00.000Z');
    return new Archived(t, await STORES[kind]!(t, clock), clock);
  }

  bucketAt(port: number): ArchiveBucket {
    const endpoint = encodeURIComponent(`http://127.0.0.1:${port}`);
    return openArchiveBucket(parseBucketAddress(`s3://clips/${this.prefix}?endpoint=${endpoint}`), KEYS);
  }

  async begin(bucket: ArchiveBucket = this.bucketAt(s3.port), store = this.store): Promise<void> {
    const log = {
      info: () => undefined,
      warn: (_facts: object, message: string) => void this.warnings.push(message),
      error: () => undefined,
    };
    const roomIn = (dir: string): Promise<IncomingRoom> => IncomingRoom.of(dir);
    const clock: Clock = {
      now: () => this.clock.now(),
      after: (delayMs, task) => {
        this.waiting += 1;
        return this.clock.after(delayMs, () => {
          this.waiting -= 1;
          task();
        });
      },
    };
    const duty = new HistoryArchive({ store, clock, log, archive: { bucket, dir: join(this.dir, 'archive'), roomIn } });
    this.duties.push(duty);
    await duty.begin();
  }

  end(): void {
    for (const duty of this.duties) duty.end();
    this.duties = [];
    this.waiting = 0;
  }

  /** An entry and an event of now, or of another instant. */
  async add(label: string, at = toIso(this.clock.now())): Promise<void> {
    await this.store.tx((tx) => {
      tx.insert('audit', { ...auditRow(label), at });
      tx.insert('events', eventRow({ at, message: `Größe of ${label}.` }));
    });
  }

  async state(name: ArchivedName): Promise<Readonly<ArchiveState> | undefined> {
    return (await this.store.find('archives', { where: { collection: name } })).rows[0];
  }

  /** Lets so much time go by, and resolves when the duty has done what is due then. */
  async pass(ms: number): Promise<void> {
    await until('nothing is under way', () => this.waiting === this.duties.length);
    this.clock.advance(ms);
    await until('what is due is done', () => this.waiting === this.duties.length);
  }

  async assertThrough(day: string): Promise<void> {
    for (const name of ['audit', 'events'] as const) {
      const row = await this.state(name);
      assert.deepEqual([row?.through_day, row?.sending], [day, null], JSON.stringify(row));
    }
  }

  /** File names and rows of one collection, in the order of their ids. */
  async objects(name: ArchivedName): Promise<{ names: string[]; rows: unknown[] }> {
    const client = s3Client({
      region: null,
      endpoint: `http://127.0.0.1:${s3.port}`,
      access_key: KEYS.accessKey,
      secret_key: KEYS.secretKey,
      isInPath: true,
    });
    cleanUp(this.t, () => client.destroy());
    const list = new ListObjectsV2Command({ Bucket: 'clips', Prefix: `${this.prefix}/${name}/` });
    const keys = ((await client.send(list)).Contents ?? []).map(({ Key }) => Key!);
    const firstId = (key: string): number => Number(/-(\d+)-\d+\.ndjson\.gz$/u.exec(key)![1]);
    const rows: unknown[] = [];
    for (const Key of keys.sort((a, b) => firstId(a) - firstId(b))) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: 'clips', Key }));
      const bytes = Buffer.from(await Body!.transformToByteArray());
      const last = (await this.state(name))?.last;
      if (`${this.prefix}/${last?.key}` === Key)
        assert.deepEqual([last?.bytes, last?.sha256], [bytes.length, createHash('sha256').update(bytes).digest('hex')]);
      const lines = gunzipSync(bytes).toString().split('\n');
      assert.equal(lines.pop(), '', 'each line ends');
      rows.push(...lines.map((line) => JSON.parse(line) as unknown));
    }
    return { names: keys.map((key) => key.slice(this.prefix.length + 1)), rows };
  }

  /** All rows of the store up to this id are in the bucket, once and in order, and nothing else is. */
  async assertWhole(throughId: number): Promise<void> {
    for (const name of ['audit', 'events'] as const) {
      const { rows } = await this.store.find(name, { where: { id: { lt: throughId + 1 } } });
      assert.equal(rows.length, throughId);
      assert.deepEqual((await this.objects(name)).rows, rows, name);
    }
    assert.deepEqual(readdirSync(join(this.dir, 'archive')), []);
  }

  alarms(row: Readonly<ArchiveState>): string[] {
    const facts = { archives: [row], now: toIso(this.clock.now()) } as unknown as AlarmFacts;
    return archiveFindings(facts).map(({ state, detail }) => `${state}: ${detail}`);
  }
}

for (const kind of Object.keys(STORES)) {
  // What does not differ by the store is seen on one of them in every run.
  const itOnce = kind === 'lowdb' ? it : itLong;

  describe(`the archive of history, ${kind}`, () => {
    it(`${kind}: each day is in the bucket once it is over, more rows than are read at once, and late ones`, async (t) => {
      const archived = await Archived.open(t, kind);
      const { clock, store } = archived;
      await store.tx((tx) => {
        for (let at = 0; at < 2300; at += 1) {
          const instant = toIso(clock.now() + at);
          tx.insert('audit', { ...auditRow(`user ${at}`), at: instant });
          tx.insert('events', eventRow({ at: instant, message: `Event ${at}.`, data: { at } }));
        }
      });
      await store.checkpoint();
      await archived.begin();
      await archived.pass(DAY_MS);
      await archived.add('2026-11-29');
      await archived.assertThrough('2026-11-28');
      await archived.assertWhole(2300);
      // A Device that was away brings what happened before; one whose clock is ahead brings what has not happened.
      await archived.add('late', '2026-11-28T23:00:00.000Z');
      await archived.add('ahead', '2027-06-01T00:00:00.000Z');
      await archived.add('evening');
      await archived.pass(DAY_MS);
      await archived.assertThrough('2026-11-29');
      await archived.assertWhole(2304);
      await archived.pass(DAY_MS);
      await archived.add('2026-12-01, behind a day without rows');
      await archived.pass(DAY_MS);
      await archived.assertThrough('2026-12-01');
      await archived.assertWhole(2305);
      for (const name of ['audit', 'events'] as const)
        assert.deepEqual((await archived.objects(name)).names, [
          `${name}/2026/11/${name}-2026-11-28-1-2300.ndjson.gz`,
          `${name}/2026/11/${name}-2026-11-29-2301-2304.ndjson.gz`,
          `${name}/2026/12/${name}-2026-12-01-2305-2305.ndjson.gz`,
        ]);
      assert.deepEqual(archived.warnings, []);
    });

    itOnce(
      `${kind}: a day is not archived before its margin is over, and is where the server begins behind it`,
      async (t) => {
        const archived = await Archived.open(t, kind);
        await archived.add('one');
        archived.clock.advance(14 * HOUR_MS + 59 * MINUTE_MS);
        await archived.add('of the day behind it');
        await archived.begin();
        await archived.pass(0);
        assert.equal(await archived.state('audit'), undefined);
        await archived.pass(11 * MINUTE_MS);
        await archived.assertThrough('2026-11-28');
        await archived.assertWhole(1);
      },
    );

    itOnce(
      `${kind}: what a bucket that is away for days has missed is sent oldest first, and is told once and as an alarm`,
      async (t) => {
        const archived = await Archived.open(t, kind);
        const { clock, store } = archived;
        await archived.begin(archived.bucketAt(1));
        for (const day of ['28', '29', '30']) {
          await archived.add(day);
          await archived.pass(DAY_MS);
        }
        const row = (await archived.state('events'))!;
        assert.match(row.failing!.reason, /^The bucket clips at 127\.0\.0\.1:1 does not take a file: ECONNREFUSED\.$/u);
        assert.equal(archived.warnings.length, 2, 'once for each collection');
        assert.match(archived.alarms(row)[0]!, /^warning: Events could not be archived since .*ECONNREFUSED/u);
        assert.deepEqual(archived.alarms({ ...row, failing: { ...row.failing!, since: toIso(clock.now()) } }), [
          'ok: No archive of history has failed for a day.',
        ]);
        await archived.begin();
        await archived.pass(0);
        await archived.assertThrough('2026-11-30');
        await archived.assertWhole(3);
        const { names } = await archived.objects('events');
        assert.deepEqual(
          names.map((name) => name.slice(-24)),
          ['2026-11-28-1-1.ndjson.gz', '2026-11-29-2-2.ndjson.gz', '2026-11-30-3-3.ndjson.gz'],
        );
        assert.equal((await archived.state('events'))?.failing, null);
        const copy = await openStore({ kind: 'memory', clock });
        cleanUp(t, () => copy.close());
        await copy.importDocument(textOf(await documentOf(store)));
        assert.deepEqual((await copy.find('archives', {})).rows, (await store.find('archives', {})).rows);
      },
    );

    it(`${kind}: a server that ends between sending and noting sends the same object again, though rows have come`, async (t) => {
      const archived = await Archived.open(t, kind);
      const { clock } = archived;
      await archived.add('one');
      clock.advance(DAY_MS);
      const real = archived.bucketAt(s3.port);
      const sent: string[] = [];
      // The object is there, and the process that sent it never hears of it.
      const cut: ArchiveBucket = {
        ...real,
        async send(key, path) {
          await real.send(key, path);
          sent.push(key);
          await new Promise(() => undefined);
        },
      };
      await archived.begin(cut);
      await until('it is sent', () => sent.length === 1);
      const before = await archived.objects('audit');
      assert.equal((await archived.state('audit'))?.through_id, 0);
      archived.end();
      await archived.add('late', '2026-11-28T23:00:00.000Z');
      await archived.begin();
      await archived.pass(0);
      await archived.assertThrough('2026-11-28');
      assert.deepEqual(await archived.objects('audit'), before);
      await archived.pass(DAY_MS);
      await archived.assertWhole(2);
      // The object that was not begun when the server ended has what came until it was.
      for (const [name, ids] of [
        ['audit', ['28-1-1', '29-2-2']],
        ['events', ['28-1-2']],
      ] as const)
        assert.deepEqual(
          (await archived.objects(name)).names,
          ids.map((each) => `${name}/2026/11/${name}-2026-11-${each}.ndjson.gz`),
        );
    });

    itOnce(`${kind}: a server that is late, while another one has taken over, sends nothing twice`, async (t) => {
      const archived = await Archived.open(t, kind);
      const { clock, store } = archived;
      await archived.add('one');
      clock.advance(DAY_MS);
      let wantsToWrite = 0;
      let goOn: () => void = () => undefined;
      const paused = new Promise<void>((resolve) => (goOn = resolve));
      const late: Store = Object.assign(Object.create(store) as Store, {
        async tx<T>(plan: (tx: Tx) => T): Promise<T> {
          wantsToWrite += 1;
          await paused;
          return store.tx(plan);
        },
      });
      await archived.begin(archived.bucketAt(s3.port), late);
      await until('it has chosen its rows', () => wantsToWrite === 1);
      await archived.add('late', '2026-11-28T23:00:00.000Z');
      await archived.begin();
      await until('the other one has sent more', async () => (await archived.state('events'))?.through_id === 2);
      goOn();
      await archived.pass(DAY_MS);
      await archived.assertWhole(2);
      for (const name of ['audit', 'events'] as const)
        assert.deepEqual((await archived.objects(name)).names, [`${name}/2026/11/${name}-2026-11-28-1-2.ndjson.gz`]);
    });

    itOnce(
      `${kind}: a clock that was ahead, and is set back, takes nothing from the archive and stops it not`,
      async (t) => {
        const archived = await Archived.open(t, kind);
        const { clock } = archived;
        await archived.begin();
        await archived.add('right');
        await archived.pass(0);
        clock.step(30 * DAY_MS);
        await archived.add('ahead by a month');
        await archived.pass(2 * DAY_MS);
        await archived.assertThrough('2026-12-28');
        clock.step(-31 * DAY_MS);
        await archived.add('right again');
        await archived.pass(DAY_MS);
        await archived.add('and on');
        await archived.pass(DAY_MS);
        await archived.assertWhole(4);
      },
    );
  });
}

describe('the setting away', () => {
  it('without the setting nothing is archived, and failures of the time with it are forgotten', async (t) => {
    const archived = await Archived.open(t, 'lowdb');
    await archived.add('one');
    await archived.begin(archived.bucketAt(1));
    await archived.pass(DAY_MS);
    assert.match((await archived.state('events'))?.failing?.reason ?? '', /ECONNREFUSED/u);
    archived.end();
    const { store, clock } = archived;
    await new HistoryArchive({ store, clock, log: { info() {}, warn() {}, error() {} } }).begin();
    assert.equal((await archived.state('events'))?.failing, null);
    assert.equal((await archived.state('events'))?.through_id, 0);
  });
});
