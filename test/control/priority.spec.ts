/** Priority says in which order several broadcasts are begun anew, or moved, at once. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { addBroadcast } from '../app/broadcast.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
let ids: number[];

/** The third is of an earlier version, whose rows have no priority; the fourth began before it, and so comes first of the two. */
const PRIORITIES = [2, 9, undefined, 5];
const ORDER = [1, 3, 2, 0];

beforeEach(async () => {
  app = await startTestApp();
  ids = [];
  for (const [at, priority] of PRIORITIES.entries()) {
    const { livestreamId } = await addBroadcast(app, ` ${at}`);
    ids.push(livestreamId);
    await app.data('updateLivestream', { livestreamId, priority: priority ?? 5 });
  }
  await app.store.tx((tx) => {
    const { priority: _none, ...earlier } = tx.get('livestreams', ids[2]!)!;
    tx.put('livestreams', earlier);
  });
  assert.equal((await app.data('getLivestreamById', { livestreamId: ids[2] }))['priority'], 5);
  for (const at of [0, 3, 2, 1]) await goOnAir(ids[at]!);
});
afterEach(() => app.close());

async function goOnAir(livestreamId: number): Promise<void> {
  await app.data('startLivestream', { livestreamId, deviceId: app.deviceId });
  const runId = await runOf(livestreamId);
  await until('there', () => app.device.runIds.includes(runId));
  app.device.running(runId);
  await until('on air', async () => (await app.store.get('runs', livestreamId))?.row.status === 2);
  app.clock.advance(1000);
}
const runOf = async (id: number): Promise<string> => (await app.store.get('runs', id))!.row.runId;
const wanted = (): Promise<string[]> => Promise.all(ORDER.map((at) => runOf(ids[at]!)));

it('a Device that is back without its broadcasts gets them by priority, of equal ones that first which began first', async () => {
  for (const id of ids) app.device.vanish(await runOf(id));
  app.device.calls.length = 0;
  app.device.goOffline();
  app.device.goOnline();
  await until('all are back', () => app.device.runIds.length === ids.length);
  const began = app.device.calls.flatMap(({ method, runId }) => (method === 'start' ? [runId] : []));
  assert.deepEqual(began, await wanted());
});

it('a Device that is emptied gives up what has the highest priority first, where there is room for some alone', async () => {
  const { work = [] } = (await app.store.get('runs', ids[0]!))!.row;
  const cores = work.reduce((sum, part) => sum + part.cores, 0);
  // Three quarters of the cores may be promised: two have their place there, and not three.
  const second = new FakeDevice({ cores: (cores * 2.5) / 0.75, now: () => new Date(app.clock.now()).toISOString() });
  const { id } = await app.data('addDevice', { name: 'small', ...app.network.stand('10.0.0.2:8092', second) });
  await until('it is there', async () => (await app.data('getDeviceById', { deviceId: id }))['capabilities'] !== null);
  const { moving } = await app.data('drainDevice', { deviceId: app.deviceId });
  const left = (moving as { livestreamId: number }[]).map(({ livestreamId }) => livestreamId);
  assert.deepEqual(left.sort(), [ids[1], ids[3]].sort());
});
