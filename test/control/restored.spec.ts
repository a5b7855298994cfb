/** A store that went back, and what a Device brings to it: that is on air as it is, and each difference is an event. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { toIso } from '../../domain/time/clock.ts';
import { markOf } from '../../domain/rules/installation/store-eras.ts';
import { takeOverRuns } from '../../control/restored/take-over.ts';
import { openedOrder, sealedOrder } from '../../control/restored/run-order.ts';
import type { Run, RunReport } from '../../domain/shapes/broadcasts/run.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { goBack } from '../helpers/went-back.ts';
import { until } from '../helpers/until.ts';

type Given = Partial<Pick<Run, 'desired' | 'status' | 'runId' | 'since'>> & { startedAt?: number };
type Brought = Partial<Pick<RunReport, 'phase' | 'runId'>> | 'nothing';

const minute = (at: number): string => new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString();
/** The restore is noticed in minute 30. What the store has was ordered in minute 10, what it has lost in minute 20. */
const NOTICED = 30;
/** [title, the run of the store, that of the Device, expected: run, desired, status, severities of the events] */
const CASES: readonly [string, Given | undefined, Brought, [string, string, number, string[]]][] = [
  ['both have it', {}, {}, ['old', 'on', 2, []]],
  ['it was being stopped when the store was copied', { desired: 'off' }, {}, ['old', 'on', 2, ['warning']]],
  ['the store has it ended', { desired: 'off', status: 0 }, {}, ['old', 'on', 2, ['warning']]],
  ['the store has it failed', { status: 3 }, {}, ['old', 'on', 2, ['warning']]],
  ['it was stopped since then', {}, 'nothing', ['old', 'off', 0, ['warning']]],
  ['… while it started', { status: 1 }, 'nothing', ['old', 'off', 0, ['warning']]],
  ['it has failed in both', { status: 3 }, 'nothing', ['old', 'on', 3, []]],
  ['it was started since then', undefined, { runId: 'new' }, ['new', 'on', 2, ['warning']]],
  ['it is starting', undefined, { runId: 'new', phase: 'starting' }, ['new', 'on', 1, ['warning']]],
  ['it was stopped and started since then', {}, { runId: 'new' }, ['new', 'on', 2, ['warning']]],
  ['it was started and has failed since then', undefined, { runId: 'new', phase: 'failed' }, ['', '', 0, ['warning']]],
  ['it was started and stopped since then', undefined, { runId: 'new', phase: 'stopped' }, ['', '', 0, []]],
  ['a person has started another one meanwhile', { startedAt: 40 }, { runId: 'new' }, ['old', 'on', 2, ['error']]],
  ['a person has started it meanwhile', { startedAt: 40, status: 1 }, 'nothing', ['old', 'on', 1, []]],
  ['a person has given it up meanwhile', { desired: 'off', status: 0, since: minute(40) }, {}, ['old', 'off', 0, []]],
];

const runOf = (id: number, runId: string, startedAt: number, more: object = {}): Run =>
  ({ ...RUN, id, runId, started_at: minute(startedAt), since: minute(startedAt), ...more }) as unknown as Run;
const reportOf = (livestreamId: number, runId: string, more: object = {}): RunReport =>
  ({ ...REPORT, livestreamId, runId, ...more }) as unknown as RunReport;

describe('a Device beside a restored store', () => {
  let app: TestApp;
  let id: number;
  before(async () => {
    app = await startTestApp({ hasDevice: false });
    id = (await addBroadcast(app)).livestreamId;
  });
  after(() => app.close());

  for (const [title, given, brought, expected] of CASES)
    it(`is believed: ${title}`, async () => {
      const { store } = app;
      const livestream = (await store.get('livestreams', id))!.row;
      const { startedAt = 10, ...more } = given ?? {};
      const isStopping = more.desired === 'off' && more.status === undefined;
      const { run, from } = await store.tx((tx) => {
        if (given !== undefined) tx.insert('runs', runOf(id, 'old', startedAt, more));
        const order = openedOrder('key', sealedOrder(tx, livestream, runOf(id, 'new', 20), 'key'))!;
        const { events } = tx.nextIds();
        takeOverRuns(tx, {
          place: 1,
          reports: brought === 'nothing' ? [] : [reportOf(id, 'old', brought)],
          orders: new Map([['new', order]]),
          restored: { ...RESTORED, stopping: isStopping ? [id] : [] },
          now: minute(NOTICED + 20),
        });
        const after = tx.get('runs', id);
        tx.delete('runs', id);
        return { run: after, from: events! };
      });
      const { rows } = await store.find('events', { where: { id: { gte: from } } });
      const found = rows.map(({ kind, severity }) => (kind === 'store_restored' ? severity : kind));
      assert.deepEqual([run?.runId ?? '', run?.desired ?? '', run?.status ?? 0, found], expected);
    });

  it('what starts at the Device has the bound of a first start where viewers have never had it, and else none', async () => {
    for (const [given, on_air_at, isAgain] of [
      [undefined, minute(20), true],
      [undefined, null, false],
      [{ status: 1 }, minute(20), true],
      [{ status: 1 }, null, false],
      [{ status: 3 }, minute(20), true],
    ] as const) {
      const run = await app.store.tx((tx) => {
        const order = { run: runOf(id, 'old', 20, { status: 1 }), rows: [] };
        if (given !== undefined) tx.insert('runs', runOf(id, 'old', 10, given));
        const reports = [reportOf(id, 'old', { phase: 'starting', on_air_at })];
        takeOverRuns(tx, { place: 1, reports, orders: new Map([['old', order]]), restored: RESTORED, now: minute(50) });
        const after = tx.get('runs', id);
        tx.delete('runs', id);
        return after;
      });
      assert.deepEqual([run?.status, run?.again], [1, isAgain ? { failed: 0, at: minute(50) } : undefined]);
    }
  });

  it('a Live stream that the store has lost comes back under its id, with its source and Destination', async (t) => {
    const { store, ...calls } = await startTestApp({ hasDevice: false });
    t.after(() => calls.close());
    const ids = await addBroadcast(calls);
    const all = { channels: ids.channelId, publishings: ids.publishingId, encodings: ids.encodingId } as const;
    await store.tx((tx) => {
      const livestream = tx.get('livestreams', ids.livestreamId)!;
      const channel = tx.get('channels', ids.channelId)!;
      const own = { boundPublishings: [ids.publishingId], boundEncodings: [ids.encodingId] };
      const sealed = sealedOrder(tx, livestream, runOf(livestream.id, 'new', 20, own), 'key');
      tx.delete('livestreams', livestream.id);
      for (const [collection, id] of Object.entries(all)) tx.delete(collection as keyof typeof all, id);
      tx.insert('channels', { ...channel, id: 99, name: 'Camera' });
      const brought = { place: 1, reports: [reportOf(livestream.id, 'new')], restored: RESTORED, now: minute(50) };
      assert.deepEqual(takeOverRuns(tx, { ...brought, orders: new Map([['new', openedOrder('key', sealed)!]]) }), []);
    });
    const name = async (of: 'channels' | 'livestreams', id: number): Promise<string | undefined> =>
      (await store.get(of, id))?.row.name;
    assert.equal(await name('livestreams', ids.livestreamId), 'Show');
    assert.equal(await name('channels', ids.channelId), 'Camera 2', 'another has its name by now');
    assert.equal((await store.get('runs', ids.livestreamId))?.row.status, 2);
    assert.equal(openedOrder('other key', 'eyJ9.x'), undefined);
  });

  it('a Recording that was made in the lost time gets a row', async (t) => {
    const { store, device, ...calls } = await startTestApp();
    t.after(() => calls.close());
    const { livestreamId, publishingId } = await addBroadcast(calls);
    const recordings = async (): Promise<number> => (await store.find('recordings', {})).total;
    device.putRecording({ livestreamId, runId: 'lost', publishingId }, { state: 'finished', size_bytes: 9 });
    await goBack(store);
    assert.equal(await recordings(), 0);
    device.goOffline();
    device.goOnline();
    await until('its row', async () => (await recordings()) === 1);
  });

  it('ids go on above those that were seen, sessions end, and it is told once', async (t) => {
    const { store, ...calls } = await startTestApp({ hasDevice: false });
    t.after(() => calls.close());
    const now = toIso(store.clock.now());
    await store.tx((tx) =>
      tx.insert('sessions', { created_at: now, updated_at: now, token_hash: 'x', userId: 1, expires_at: now } as never),
    );
    const behind = await goBack(store, 70);
    assert.equal(behind?.restored?.noticed_by, 'studio');
    assert.equal((await store.find('sessions', {})).total, 0);
    assert.ok((await addBroadcast(calls)).livestreamId >= 500);
    const found = async (): Promise<number> =>
      (await store.find('events', { where: { kind: 'store_restored' } })).total;
    await until('the event', async () => (await found()) === 1);
    const mark = await store.tx((tx) => markOf(tx, now)!);
    assert.ok(mark.next['events']! > 70);
    assert.deepEqual((await calls.data('getRestore', {}))['waiting'], true);
  });
});

const RESTORED = {
  noticed_at: minute(NOTICED),
  noticed_by: 'studio',
  restored_to: minute(15),
  seen_until: minute(25),
  acknowledged_at: null,
  acknowledged_by: null,
  places: [1],
  stopping: [] as number[],
  left: [] as string[],
};
const RUN = {
  desired: 'on',
  status: 2,
  errorstatus: null,
  deviceId: 1,
  slot: 1,
  cost: 1,
  startConfig: [],
  boundPublishings: [],
  boundEncodings: [],
  scheduleId: null,
  requested_by: 'admin',
  lastEventSeq: 3,
};
const REPORT = { phase: 'running', error: null, on_air_at: minute(20), encodings: [], publishings: [] };
