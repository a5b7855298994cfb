/** The in-memory twin: the same tables and plans, and nothing that outlives the process. */
import type { Durability } from './durability.ts';
import type { Tables } from './tables.ts';

export function memoryDurability(tables: Tables): Durability {
  return {
    async write() {
      tables.acknowledge(tables.takeStaged());
    },
    pending: () => undefined,
    problem: () => null,
    shortage: () => undefined,
    async checkpoint() {},
    async close() {},
  };
}
