/** The in-memory twin: the same tables and plans, and nothing outlives the process. History stays in the tables, too. */
import { HISTORY_NAMES, historyFacts } from '../../domain/ports/collections.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { Durability } from './durability.ts';
import type { RecentRows } from '../tables/recent.ts';
import type { Tables } from '../tables/tables.ts';

export function memoryDurability(tables: Tables, clock: Pick<Clock, 'now'>): Durability {
  return {
    archive: {
      rows: () => 0,
      views: (name) => {
        dropOld(tables.recent(name), clock.now());
        return [];
      },
      checked: async () => undefined,
      warn: () => undefined,
    },
    async write() {
      tables.acknowledge(tables.takeStaged());
      for (const name of HISTORY_NAMES) dropOld(tables.recent(name), clock.now());
    },
    pending: () => undefined,
    problem: () => null,
    shortage: () => undefined,
    async checkpoint() {},
    beginImport: async () => async () => undefined,
    async close() {},
  };
}

/** Drops from the oldest row on, up to the first that is to stay. */
function dropOld(recent: RecentRows, nowMs: number): void {
  const { instant, keptMs, maxRows } = historyFacts(recent.name);
  for (const row of recent.rows()) {
    const at = row[instant];
    const isOld = typeof at === 'string' && Date.parse(at) + keptMs <= nowMs;
    if (!isOld && recent.size <= maxRows) break;
    recent.drop(row.id);
  }
}
