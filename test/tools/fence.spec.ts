/** A lost Device is cut off by a program of the operator, and its broadcasts move at once; where that cannot be, they wait for the end of the lease. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createFence } from '../../bin/server/fence.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { goOnAir, type OnAir } from '../app/on-air.ts';
import type { Row } from '../app/calls.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { until } from '../helpers/until.ts';

/** Long enough to have been dialled. */
const STARTED_SECONDS = 16;
/** The Device is silent for long enough, and its lease has not ended. */
const SILENT_SECONDS = 8;
/** The lease has ended. */
const ENDED_SECONDS = 2;

class Station {
  app!: TestApp;
  second!: FakeDevice;
  secondId!: number;
  show!: OnAir;
  private readonly dir: string;

  private constructor(t: TestContext) {
    this.dir = testFolder(t, 'fence');
  }

  /** A broadcast that moves, on air at a Device on another machine. The program does `lines`, each call of it a line in `calls`. */
  static async open(t: TestContext, lines: string, startedSeconds = STARTED_SECONDS): Promise<Station> {
    const station = new Station(t);
    const program = station.file('fence');
    writeFileSync(program, `#!/bin/sh\ncd ${station.dir}\necho "$FENCE_DEVICE_NAME" >> calls\n${lines}\n`);
    chmodSync(program, 0o755);
    const app = (station.app = await startTestApp({ fence: createFence(program) }));
    t.after(() => app.close());
    const second = (station.second = new FakeDevice({ now: () => new Date(app.clock.now()).toISOString() }));
    ({ id: station.secondId } = await app.data('addDevice', {
      name: 'enc2',
      ...app.network.stand('10.0.0.2:8092', second),
    }));
    await until('two Devices', async () =>
      (await app.rows('getAllDevices', { fields: '*' })).every((row) => row['online'] === true && row['capabilities']),
    );
    await app.data('updateDevice', { deviceId: app.deviceId, enabled: false });
    station.show = await goOnAir(app, { onDeviceLoss: 'move' }, second);
    await app.data('updateDevice', { deviceId: app.deviceId, enabled: true });
    await station.pass(startedSeconds);
    return station;
  }

  file(name: string): string {
    return join(this.dir, name);
  }

  async pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 1) {
      this.app.clock.advance(1000);
      for (const device of [this.app.device, this.second]) device.ask();
      for (let turns = 0; turns < 5; turns += 1) await turn();
    }
  }

  get calls(): string {
    return existsSync(this.file('calls')) ? readFileSync(this.file('calls'), 'utf8') : '';
  }

  async event(): Promise<Row> {
    const rows = (): Promise<Row[]> => this.app.rows('getAllEvents', { kind: 'device_fenced', pageSize: 50 });
    return until('an answer', async () => (await rows())[0]);
  }

  async hasMoved(): Promise<boolean> {
    return (await this.show.run()).deviceId !== this.secondId;
  }
}

describe('a fence of the operator', () => {
  it('cuts off a lost Device, whose broadcast goes on elsewhere before the lease has ended, and an event says so', async (t) => {
    const station = await Station.open(t, 'exit 0');
    station.second.goOffline();
    await station.pass(SILENT_SECONDS);
    const event = await station.event();
    assert.equal(event['severity'], 'warning');
    assert.match(String(event['message']), /"enc2" was silent and is cut off \(ONAIR_FENCE\)/u);
    const { deviceId, outcome } = event['data'] as Row;
    assert.deepEqual([deviceId, outcome], [station.secondId, 'done']);
    assert.equal(await station.hasMoved(), true);
    assert.equal(station.calls, 'enc2\n');
  });

  it('that fails is told of, and the broadcast waits for the end of the lease', async (t) => {
    const station = await Station.open(t, 'exit 3');
    station.second.goOffline();
    await station.pass(SILENT_SECONDS);
    const event = await station.event();
    assert.equal(event['severity'], 'error');
    assert.match(String(event['message']), /could not be cut off \(ONAIR_FENCE\): it ended with exit code 3\./u);
    assert.equal(await station.hasMoved(), false);
    await station.pass(ENDED_SECONDS);
    await until('it goes on elsewhere', () => station.hasMoved());
  });

  it('is asked once at a time, and holds up nothing', async (t) => {
    const station = await Station.open(t, 'while [ ! -e go ]; do sleep 0.02; done');
    station.second.goOffline();
    await station.pass(SILENT_SECONDS);
    await until('it is asked', () => station.calls !== '');
    await station.pass(ENDED_SECONDS);
    await until('it goes on elsewhere', () => station.hasMoved());
    const { runId } = await station.show.run();
    await station.pass(20);
    writeFileSync(station.file('go'), '');
    await station.event();
    assert.equal(station.calls, 'enc2\n');
    assert.equal((await station.show.run()).runId, runId, 'it is not moved a second time');
  });

  it('moves nothing of a Device that a server has claimed meanwhile', async (t) => {
    const station = await Station.open(t, 'while [ ! -e go ]; do sleep 0.02; done');
    station.second.goOffline();
    await station.pass(SILENT_SECONDS);
    await until('it is asked', () => station.calls !== '');
    await station.app.store.tx((tx) => {
      const owner = tx.get('deviceLinks', station.secondId)!;
      tx.put('deviceLinks', { ...owner, token: owner.token + 1 });
    });
    writeFileSync(station.file('go'), '');
    await station.event();
    assert.equal(await station.hasMoved(), false);
  });

  const never: Record<string, (station: Station) => Promise<void>> = {
    'while the fleet is held': async ({ app }) => void (await app.data('holdFleet', {})),
    'where a broadcast of the Device stays': async ({ app, second }) => {
      await app.data('updateDevice', { deviceId: app.deviceId, enabled: false });
      const { livestreamId } = await addBroadcast(app, ' that stays');
      await app.data('startLivestream', { livestreamId });
      await until('the order', () => second.runIds.length === 2);
      await app.data('updateDevice', { deviceId: app.deviceId, enabled: true });
    },
    'where no other Device takes its broadcast': async ({ app }) =>
      void (await app.data('updateDevice', { deviceId: app.deviceId, enabled: false })),
  };
  for (const [when, arrange] of Object.entries(never))
    it(`is not asked ${when}`, async (t) => {
      const station = await Station.open(t, 'exit 0');
      await arrange(station);
      await station.pass(2);
      station.second.goOffline();
      await station.pass(30);
      assert.equal(station.calls, '');
    });

  it('is not asked by a server that has just started, nor for the machine of the server itself', async (t) => {
    const station = await Station.open(t, 'exit 0', 1);
    station.second.goOffline();
    await station.pass(SILENT_SECONDS + ENDED_SECONDS);
    await until('it goes on elsewhere', () => station.hasMoved());
    const { runId } = await station.show.run();
    await until('the order', () => station.app.device.runIds.includes(runId));
    station.app.device.running(runId);
    station.second.goOnline();
    await station.pass(20);
    station.app.device.goOffline();
    await station.pass(SILENT_SECONDS + ENDED_SECONDS);
    await until('it goes on there again', async () => !(await station.hasMoved()));
    assert.equal(station.calls, '');
  });
});
