/** Measures how long it takes to find the place of a start among 1,000 Devices with 10,000 Live streams on air, each start after another. */
import { admit } from '../../control/start/admission.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import { FAKE_CAPABILITIES } from '../../test/helpers/fake-device.ts';
import { seedBroadcast } from '../../test/helpers/seed.ts';
import { bounded, median, type Figure } from '../figures.ts';
import { openProduct } from '../product.ts';

const DEVICES = 1000;
const ON_AIR = 10_000;
const STARTS = 500;
const MACHINE = { cores: 16, slots: 20, capabilities: FAKE_CAPABILITIES, storage: [] };

export async function benchPlacement(): Promise<Figure[]> {
  const { store, close } = await openProduct('bench-token-0123456789-abcdef');
  const livestreamId = await seedBroadcast(store, ' of the starts');
  const at = new Date().toISOString();
  const stamps = { created_at: at, updated_at: at };
  const ids = await store.tx((tx) => {
    const { id: _, ...livestream } = tx.get('livestreams', livestreamId)!;
    const device = { type: 'server', ip_address: null, enabled: true, online: true, ...MACHINE, ...stamps };
    const places = Array.from(
      { length: DEVICES },
      (_each, number) => tx.insert('devices', { ...device, name: `enc ${number}` } as never).id,
    );
    for (let number = 0; number < ON_AIR; number += 1) {
      const { id } = tx.insert('livestreams', { ...livestream, name: `Show ${number}` });
      tx.insert('runs', runAt(id, places[number % DEVICES]!, at));
    }
    return Array.from(
      { length: STARTS },
      (_each, number) => tx.insert('livestreams', { ...livestream, name: `Start ${number}` }).id,
    );
  });
  const times: number[] = [];
  for (const id of ids)
    await store.tx((tx) => {
      const from = performance.now();
      const { placement } = admit(tx, () => true, id, {}, at);
      times.push(performance.now() - from);
      tx.insert('runs', runAt(id, placement!.deviceId!, at));
    });
  await close();
  // The first looks at every Device, and the code is compiled meanwhile.
  const [first, ...later] = times;
  const p99 = later.sort((a, b) => a - b)[Math.floor(later.length * 0.99)]!;
  const note = `median ${median(later).toFixed(2)} ms, the first ${first!.toFixed(0)} ms; ${ON_AIR} on air`;
  return [bounded(`the place of a start among ${DEVICES} Devices, p99 of ${STARTS}`, p99, 5, 'ms', note)];
}

function runAt(id: number, deviceId: number, at: string): Run {
  const state = { desired: 'on', status: 2, errorstatus: null, since: at, started_at: at, runId: `run-${id}` } as const;
  const bound = { startConfig: [], boundPublishings: [], boundEncodings: [] };
  const work = [{ kind: 'stream', cores: 0.3 }];
  return {
    id,
    ...state,
    deviceId,
    slot: 1,
    cost: 0.3,
    work,
    ...bound,
    scheduleId: null,
    requested_by: 'bench',
    lastEventSeq: 0,
  };
}
