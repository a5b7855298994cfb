/** The place of a start among many Devices: what is remembered of each is what would be reckoned anew, and a refusal names a few of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { admit } from '../../control/start/admission.ts';
import { capacityNow, factorsOf, heldBy } from '../../control/start/held.ts';
import { capacityOf } from '../../domain/shapes/encodings/capacity.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { Store, Tx, View } from '../../domain/ports/store.ts';
import { openStore } from '../../store/open.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { addDevice, runAt } from '../helpers/fleet-rows.ts';
import { seedBroadcast } from '../helpers/seed.ts';

const AT = '2026-01-01T00:00:00.000Z';
const DEVICES = 6;
const CORES = 4;
const STREAMS = 12;

async function open(devices: number): Promise<{ store: Store; deviceIds: number[]; livestreamIds: number[] }> {
  const store = await openStore({ dir: '', clock: new FakeClock(), kind: 'memory' });
  const deviceIds = await store.tx((tx) =>
    Array.from({ length: devices }, (_, number) => addDevice(tx, number, CORES)),
  );
  const livestreamIds: number[] = [];
  for (let number = 0; number < STREAMS; number += 1) livestreamIds.push(await seedBroadcast(store, ` ${number}`));
  return { store, deviceIds, livestreamIds };
}

type Step =
  | { kind: 'run'; stream: number; device: number; cost: number }
  | { kind: 'waits'; stream: number; device: number }
  | { kind: 'stop' | 'abandoned'; stream: number; device: number }
  | { kind: 'learned'; device: number; factor: number }
  | { kind: 'others'; device: number; cores: number };

const stream = fc.nat(STREAMS - 1);
const device = fc.nat(DEVICES - 1);
const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('run' as const),
      stream,
      device,
      cost: fc.double({ min: 0.1, max: 2, noNaN: true }),
    }),
    fc.record({ kind: fc.constant('waits' as const), stream, device }),
    fc.record({ kind: fc.constantFrom('stop' as const, 'abandoned' as const), stream, device }),
    fc.record({ kind: fc.constant('learned' as const), device, factor: fc.double({ min: 0.5, max: 2, noNaN: true }) }),
    fc.record({ kind: fc.constant('others' as const), device, cores: fc.nat(3) }),
  ),
  { maxLength: 25 },
);

describe('placement', () => {
  it('what is remembered of a Device is what is reckoned anew, whatever was written, and taken back', async () => {
    const { store, deviceIds, livestreamIds } = await open(DEVICES);
    const put = (tx: Tx, run: Run): void => {
      if (tx.get('runs', run.id) === undefined) tx.insert('runs', run);
      else tx.put('runs', run);
    };
    const apply = (tx: Tx, step: Step): void => {
      const deviceId = deviceIds[step.device]!;
      if (step.kind === 'run') return put(tx, runAt(livestreamIds[step.stream]!, deviceId, { cost: step.cost }));
      if (step.kind === 'learned') {
        const row = { id: deviceId, factors: { stream: step.factor }, updated_at: AT };
        if (tx.get('workCosts', deviceId) === undefined) return void tx.insert('workCosts', row);
        return tx.put('workCosts', row);
      }
      if (step.kind === 'others') return tx.put('devices', { ...tx.get('devices', deviceId)!, other_load: step.cores });
      const run = tx.get('runs', livestreamIds[step.stream]!);
      if (run === undefined) return undefined;
      if (step.kind === 'waits') return put(tx, { ...run, otherDeviceId: deviceId });
      put(tx, { ...run, status: 0, desired: 'off' });
      if (step.kind === 'abandoned') throw new Error('taken back');
    };
    const assertReckoned = (view: View): void => {
      for (const { id } of view.find('devices', {}).rows) {
        const row = view.get('devices', id) as Readonly<Device>;
        const fresh = capacityOf(row, heldBy(view, id), factorsOf(view, row));
        assert.deepEqual(capacityNow(view, row).capacity, fresh);
      }
    };
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        for (const step of all) {
          await store.tx((tx) => apply(tx, step)).catch((error: Error) => assert.equal(error.message, 'taken back'));
          await store.tx(assertReckoned);
        }
      }),
      { numRuns: 60 },
    );
    await store.close();
  });

  it('goes to the Device with most room that can take it, past those that are offline or full', async () => {
    const { store, deviceIds, livestreamIds } = await open(DEVICES);
    const [first, second, third, ...others] = deviceIds as [number, number, number, ...number[]];
    await store.tx((tx) => {
      tx.put('devices', { ...tx.get('devices', second)!, enabled: false });
      const held = [first, ...others].map((deviceId, at) =>
        runAt(livestreamIds[at]!, deviceId, { cost: 2, measured: true }),
      );
      for (const run of held) tx.insert('runs', run);
    });
    const placed = (isOnline: (id: number) => boolean): Promise<number | null | undefined> =>
      store.tx((tx) => admit(tx, isOnline, livestreamIds.at(-1)!, {}, AT).placement?.deviceId);
    assert.equal(await placed(() => true), third);
    assert.equal(await placed((id) => id !== third), first, 'all others are equal');
    await store.close();
  });

  it('a refusal by many names ten of them, the nearest to a yes first, and how many more there are', async () => {
    const { store, deviceIds, livestreamIds } = await open(40);
    const full = deviceIds.at(-1)!;
    await store.tx((tx) => tx.insert('runs', runAt(livestreamIds[0]!, full, { cost: 3, measured: true })));
    const { reasons } = await store.tx((tx) => admit(tx, (id) => id === full, livestreamIds.at(-1)!, {}, AT));
    const [{ code, message }] = reasons as [(typeof reasons)[number]];
    assert.equal(code, 'no_capacity');
    assert.match(message, /stream\. Device 40 "enc 39" has 0\.00 cores free/u);
    assert.equal(message.match(/Device \d+ "enc \d+"/gu)?.length, 10);
    assert.match(message, /30 more cannot take it either\./u);
    await store.close();
  });
});
