/** The capacity of Devices: reserved inside the commit, learned from what runs, told where it is missing. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createControl, type ControlRuntime } from '../../control/control.ts';
import { pairedDevice } from '../../domain/rules/devices/device.ts';
import type { AssetFiles } from '../../domain/ports/control.ts';
import { AppError, toProblem } from '../../domain/base/errors.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { Store } from '../../domain/ports/store.ts';
import { openStore } from '../../store/open.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { FakeNetwork } from '../helpers/fake-network.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';
import { silentLog } from '../helpers/silent-log.ts';
const files = { path: (bucket: string, name: string) => `/assets/${bucket}/${name}` } as AssetFiles;
const by = { username: 'admin' };
const CORES = 2;

describe('capacity', () => {
  let store: Store;
  let clock: FakeClock;
  let device: FakeDevice;
  let network: FakeNetwork;
  let control: ControlRuntime;
  let livestreamIds: number[];

  beforeEach(async () => {
    clock = new FakeClock();
    store = await openStore({ dir: '', clock, kind: 'memory' });
    livestreamIds = [];
    for (let n = 1; n <= 20; n += 1) livestreamIds.push(await seedBroadcast(store, ` ${n}`));
    device = new FakeDevice({ cores: CORES, now });
    network = new FakeNetwork();
    await open();
  });
  afterEach(async () => {
    control.close();
    await store.close();
  });

  const now = (): string => new Date(clock.now()).toISOString();
  async function open(): Promise<void> {
    control = await createControl({ store, clock, log: silentLog, assetFiles: files, network });
    await control.attachLocalDevice(device, 'here');
  }
  const start = (id: number, request = {}): Promise<unknown> =>
    store.tx((tx) => control.orderStart(tx, now(), id, request, by));
  const refusalOf = async (id: number, request = {}): Promise<AppError> => {
    const error: unknown = await start(id, request).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof AppError, 'the start was accepted');
    return error;
  };
  const held = async (): Promise<readonly Run[]> =>
    (await store.find('runs', { where: { status: { in: [1, 2] } } })).rows;
  const promised = (runs: readonly Run[], deviceId: number): number =>
    runs.filter((run) => run.deviceId === deviceId).reduce((sum, run) => sum + run.cost, 0);
  const runOf = async (id: number): Promise<Run> => (await store.get('runs', id))!.row;

  async function pairSecond(): Promise<FakeDevice> {
    const second = new FakeDevice({ cores: CORES, now, mediaUrl: 'http://127.0.0.2:8091' });
    const { ip_address, ...credentials } = network.stand('10.0.0.2', second);
    const { key } = await control.pairDevice(ip_address, credentials);
    await store.tx((tx) => tx.insert('devices', pairedDevice({ name: 'there', ip_address }, key, now())));
    await until('the second Device', async () => {
      const row = (await store.find('devices', { where: { name: 'there' } })).rows[0];
      return row?.cores === CORES && control.deviceState(row.id).online;
    });
    return second;
  }

  async function onAir(id: number): Promise<string> {
    await start(id);
    const runId = (await runOf(id)).runId;
    await until('the run at the Device', () => device.runIds.includes(runId));
    device.running(runId);
    await until('status 2', async () => (await runOf(id)).status === 2);
    return runId;
  }

  /** Reports of one run, one each 10 s. */
  async function measure(runId: string, cores: number, times: number, more: object = {}): Promise<void> {
    for (let n = 0; n < times; n += 1) {
      clock.advance(10_001);
      device.tell(runId, { cpu_cores: cores, ...more });
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('the capacity of one Device is not promised twice to 20 starts at once', async () => {
    const outcomes = await Promise.allSettled(livestreamIds.map((id) => start(id)));
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as AppError] : []));
    const runs = await held();
    assert.equal(runs.length + refused.length, 20);
    assert.ok(runs.length >= 2 && promised(runs, 1) <= CORES * 0.75, `${promised(runs, 1)} cores promised`);
    assert.ok(promised(runs, 1) + runs[0]!.cost > CORES * 0.75, 'and what there is, is promised');
    assert.deepEqual(
      [...new Set(runs.map(({ slot }) => slot))].sort(),
      runs.map((_, at) => at + 1),
    );
    for (const { code, message } of refused) {
      assert.equal(code, 'no_capacity');
      assert.match(
        message,
        /Device 1 "here" has 0\.\d\d cores free \(\d of \d slots used\), of the about 0\.\d\d that this start needs; it runs (?:Live stream \d+ "[^"]+"(?:, )?)+/u,
      );
    }
    const { load, slots } = control.deviceState(1);
    assert.equal(slots.used, runs.length);
    assert.ok(load > 0.7 && load <= 1);
  });

  it('the capacity of two Devices is shared evenly, and none of them is overloaded', async () => {
    await pairSecond();
    const outcomes = await Promise.allSettled(livestreamIds.map((id) => start(id)));
    const runs = await held();
    const counts = [1, 2].map((id) => runs.filter(({ deviceId }) => deviceId === id).length);
    assert.equal(counts[0], counts[1]);
    for (const id of [1, 2]) assert.ok(promised(runs, id) <= CORES * 0.75);
    const refused = outcomes.find((one) => one.status === 'rejected')!.reason as AppError;
    assert.match(refused.message, /Device 1 "here" has .+ Device 2 "there" has /u);
  });

  it('a start refused for the capacity of its Device names other Devices that have enough', async () => {
    await pairSecond();
    for (const id of livestreamIds.slice(0, 3)) await start(id, { deviceId: 1 });
    const { message } = await refusalOf(livestreamIds[5]!, { deviceId: 1 });
    assert.match(
      message,
      /^Device 1 "here" has .+ Room elsewhere: Device 2 "there" has 1\.50 cores free \(0 of 2 slots used\)\.$/u,
    );
  });

  it('a start refused for lack of capacity asks for a stop, or says that no stop could make enough room', async () => {
    const remedyOf = (error: AppError): string => toProblem(error, 'r').remedy;
    control.close();
    const large = device;
    device = new FakeDevice({ cores: 0.2, now });
    await open();
    const small = await refusalOf(livestreamIds[3]!);
    assert.match(small.message, /more than it has when nothing runs/u);
    assert.match(remedyOf(small), /^Use fewer or smaller renditions, or a larger Device/u);
    control.close();
    device = large;
    await open();
    for (const id of livestreamIds.slice(0, 3)) await start(id);
    assert.match(remedyOf(await refusalOf(livestreamIds[3]!)), /Stop another Live stream/u);
  });

  it('the capacity of a place that does not exist is a wrong reference, as any other', async () => {
    for (const [field, noun] of [
      ['deviceId', 'Device'],
      ['idEncoderGroup', 'Device group'],
      ['cloudAccountId', 'Cloud account'],
    ] as const) {
      const error = await refusalOf(livestreamIds[0]!, { [field]: 99 });
      assert.deepEqual([error.code, error.extras.errors?.[0]?.['field']], ['rule_violated', field]);
      assert.match(error.message, new RegExp(`there is no ${noun} 99`, 'u'));
      assert.equal(toProblem(error, 'r').remedy, 'Name one that exists, or add it first.');
    }
    await store.tx((tx) => tx.put('devices', { ...tx.get('devices', 1)!, enabled: false }));
    assert.match(toProblem(await refusalOf(livestreamIds[0]!), 'r').remedy, /^Connect or enable a Device/u);
  });

  it('the capacity of a machine goes by its trial, and by the first figure of a start where there is none', async () => {
    const costs: number[] = [];
    for (const factor of [2, undefined]) {
      control.close();
      device = new FakeDevice({ cores: CORES, now });
      device.encodingTrial = factor === undefined ? undefined : { cores: 0.6, factor, tried_at: now() };
      await store.tx((tx) => tx.find('devices', {}).rows.forEach(({ id }) => tx.delete('devices', id)));
      await open();
      const { id } = (await store.find('devices', {})).rows[0]!;
      await start(livestreamIds[0]!);
      const { cost, deviceId } = await runOf(livestreamIds[0]!);
      assert.equal(deviceId, id);
      costs.push(cost, control.deviceCapacity(id).promised);
      if (factor === undefined) break;
      await store.tx((tx) => control.orderStop(tx, now(), livestreamIds[0]!, by));
      await until('stopped', async () => (await runOf(livestreamIds[0]!)).status === 0);
    }
    const [dear, held, usual, doubted] = costs as [number, number, number, number];
    assert.deepEqual([held, dear, doubted], [dear, usual * 2, usual * 1.5]);
    const { runId } = await runOf(livestreamIds[0]!);
    await until('the run at the Device', () => device.runIds.includes(runId));
    device.running(runId);
    await until('status 2', async () => (await runOf(livestreamIds[0]!)).status === 2);
    await measure(runId, usual * 1.4, 1);
    await until('the figure', async () => (await runOf(livestreamIds[0]!)).measured === true);
    assert.equal((await runOf(livestreamIds[0]!)).cost, usual * 1.4);
  });

  it('the capacity of a Device is less while other programs take of it, and its first start goes on air beside them', async () => {
    const runId = await onAir(livestreamIds[0]!);
    await measure(runId, 0.3, 1);
    const { free } = control.deviceCapacity(1);
    await measure(runId, 0.3, 3, { cores_taken: CORES });
    await until('fewer cores', () => control.deviceCapacity(1).free < free);
    const others = CORES - 0.3;
    assert.ok(Math.abs(control.deviceCapacity(1).others - others) <= 0.125);
    const refusal = await refusalOf(livestreamIds[1]!);
    assert.deepEqual(
      [refusal.code, /other programs take \d\.\d\d cores/u.test(refusal.message)],
      ['no_capacity', true],
    );
    await measure(runId, 0.3, 4, { cores_taken: 0.3 });
    await until('all cores', () => control.deviceCapacity(1).others === 0);
    await start(livestreamIds[1]!);
  });

  it('a Device with a broadcast that falls behind has no capacity until that keeps up, is stopped or begins anew', async () => {
    const runId = await onAir(livestreamIds[0]!);
    const isBehind = async (is: boolean): Promise<void> => {
      device.emit(runId, is ? 'behind' : 'behind_ended', 'Pictures.', is ? 'warning' : 'info');
      await until('the event', async () => ((await runOf(livestreamIds[0]!)).behind !== undefined) === is);
    };
    await isBehind(true);
    const error = await refusalOf(livestreamIds[1]!);
    assert.match(
      error.message,
      /^Device 1 "here" takes no more while Live stream 1 "Show 1" falls behind .+; stop or/u,
    );
    assert.match(toProblem(error, 'r').remedy, /Stop another Live stream/u);
    const { load, slots } = control.deviceState(1);
    assert.deepEqual([load, slots.free], [1, 0]);
    control.close();
    await open();
    assert.equal((await refusalOf(livestreamIds[1]!)).message, error.message, 'across a restart of the server');
    await isBehind(false);
    await start(livestreamIds[1]!);
    await isBehind(true);
    await store.tx((tx) => control.orderStop(tx, now(), livestreamIds[0]!, by));
    await until('stopped', async () => (await runOf(livestreamIds[0]!)).status === 0);
    await start(livestreamIds[0]!);
    assert.equal((await runOf(livestreamIds[0]!)).behind, undefined);
  });

  it('capacity is given back by a stop and by a failure', async () => {
    const runIds = [];
    for (const id of livestreamIds.slice(0, 3)) runIds.push(await onAir(id));
    assert.equal((await refusalOf(livestreamIds[3]!)).code, 'no_capacity');
    await store.tx((tx) => control.orderStop(tx, now(), livestreamIds[0]!, by));
    await until('stopped', async () => (await runOf(livestreamIds[0]!)).status === 0);
    await start(livestreamIds[3]!);
    device.failed(runIds[1]!, 'The source is gone.');
    await until('failed', async () => (await runOf(livestreamIds[1]!)).status === 3);
    await start(livestreamIds[4]!);
    assert.equal((await refusalOf(livestreamIds[5]!)).code, 'no_capacity');
  });

  it('capacity is calculated from what running streams really take, across a restart', async () => {
    const runId = await onAir(livestreamIds[0]!);
    const expected = (await runOf(livestreamIds[0]!)).cost;
    const before = control.deviceState(1).slots.total;
    const version = (await store.get('devices', 1))!.version;
    await measure(runId, expected * 2.5, 12);
    const run = await until('the measured cost', async () => {
      const row = await runOf(livestreamIds[0]!);
      return row.cost > expected * 2.3 && row;
    });
    assert.ok(run.cost < expected * 2.51);
    assert.equal((await store.get('devices', 1))!.version, version, 'nothing of the Device has changed');
    assert.ok(control.deviceState(1).slots.total < before, 'fewer slots of that size');
    assert.ok(control.deviceState(1).load > 0.5);
    // Two of them no longer fit, where three did before.
    const { message } = await refusalOf(livestreamIds[1]!);
    control.close();
    await open();
    assert.equal((await refusalOf(livestreamIds[1]!)).message, message);
    await store.tx((tx) => control.orderStop(tx, now(), livestreamIds[0]!, by));
    await until('stopped', async () => (await runOf(livestreamIds[0]!)).status === 0);
    await start(livestreamIds[1]!);
    assert.ok((await runOf(livestreamIds[1]!)).cost > expected * 2, 'the next one reserves what the first one took');
  });

  it('the need of a stream is not learned from a slate, a black picture or an encoder that falls behind', async () => {
    const runId = await onAir(livestreamIds[0]!);
    const { cost } = await runOf(livestreamIds[0]!);
    const report = device.report(runId);
    await measure(runId, cost / 3, 40, { source: { ...report.source, state: 'lost' } });
    await measure(runId, cost / 3, 40, {
      source: report.source,
      runtime: { ...report.runtime, blackout: 'Black Frame' },
    });
    const behind = report.encodings.map((encoding) => ({ ...encoding, speed: 0.6 }));
    await measure(runId, cost / 3, 40, { runtime: report.runtime, encodings: behind });
    assert.deepEqual([(await runOf(livestreamIds[0]!)).cost, await store.get('workCosts', 1)], [cost, undefined]);
    await measure(runId, cost * 2, 12);
    await until('an overload counts', async () => (await runOf(livestreamIds[0]!)).cost > cost * 1.8);
  });

  it('the capacity of a Device is forgotten with it', async () => {
    const runId = await onAir(livestreamIds[0]!);
    await measure(runId, 1, 8);
    await until('learned', async () => (await store.get('workCosts', 1)) !== undefined);
    await store.tx((tx) => tx.delete('devices', 1));
    await measure(runId, 2, 8);
    await until('forgotten', async () => (await store.get('workCosts', 1)) === undefined);
  });
});
