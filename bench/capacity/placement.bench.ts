/** Measures how long it takes to find the place of a start among 1,000 Devices with 10,000 Live streams on air, each start after another. */
import { admit } from '../../control/start/admission.ts';
import { addDevice, runAt } from '../../test/helpers/fleet-rows.ts';
import { seedBroadcast } from '../../test/helpers/seed.ts';
import { bounded, median, type Figure } from '../figures.ts';
import { openProduct } from '../product.ts';

const DEVICES = 1000;
const ON_AIR = 10_000;
const STARTS = 500;
const CORES = 16;
/** Its cost is an estimate, as just after a start. */
const HELD = { cost: 0.3, work: [{ kind: 'stream', cores: 0.3 }] };

export async function benchPlacement(): Promise<Figure[]> {
  const { store, close } = await openProduct('bench-token-0123456789-abcdef');
  const livestreamId = await seedBroadcast(store, ' of the starts');
  const at = new Date().toISOString();
  const ids = await store.tx((tx) => {
    const { id: _, ...livestream } = tx.get('livestreams', livestreamId)!;
    const places = Array.from({ length: DEVICES }, (_each, number) => addDevice(tx, number, CORES));
    for (let number = 0; number < ON_AIR; number += 1) {
      const { id } = tx.insert('livestreams', { ...livestream, name: `Show ${number}` });
      tx.insert('runs', runAt(id, places[number % DEVICES]!, HELD));
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
      tx.insert('runs', runAt(id, placement!.deviceId!, HELD));
    });
  await close();
  // The first looks at every Device, and the code is compiled meanwhile.
  const [first, ...later] = times;
  const p99 = later.sort((a, b) => a - b)[Math.floor(later.length * 0.99)]!;
  const note = `median ${median(later).toFixed(2)} ms, the first ${first!.toFixed(0)} ms; ${ON_AIR} on air`;
  return [bounded(`the place of a start among ${DEVICES} Devices, p99 of ${STARTS}`, p99, 5, 'ms', note)];
}
