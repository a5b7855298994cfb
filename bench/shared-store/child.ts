/** Opens a store and says how much processor time that took, in milliseconds. */
import { openStore } from '../../store/open.ts';
// The code is read before the measurement.
import '../../store/shared/open.ts';

const [kind, place] = process.argv.slice(2) as ['lowdb' | 'postgres', string];
const before = process.cpuUsage();
const store = await openStore({ kind, [kind === 'lowdb' ? 'dir' : 'url']: place, warn: () => undefined });
const { user, system } = process.cpuUsage(before);
process.send!((user + system) / 1_000);
await store.close();
process.disconnect();
