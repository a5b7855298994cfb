/** The content of the store of a stopped service, and its changes. */
import { join } from 'node:path';
import { systemClock } from '../../../domain/time/clock.ts';
import type { Store } from '../../../domain/ports/store.ts';
import { openStore } from '../../../store/open.ts';
import { documentOf } from '../../helpers/store-document.ts';

/** Written by refusals themselves, by the start of a service, and by its Device. */
const BESIDE = new Set(['audit', 'idempotency', 'runs', 'events', 'sessions', 'devices']);

/** Rows as text, by collection and id. */
export type State = Map<string, string>;

export async function withStore<T>(dataDir: string, task: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ dir: join(dataDir, 'store'), clock: systemClock, kind: 'lowdb' });
  try {
    return await task(store);
  } finally {
    await store.close();
  }
}

export async function stateOf(store: Store): Promise<State> {
  const { collections } = await documentOf(store);
  return new Map(
    Object.entries(collections)
      .filter(([name]) => !BESIDE.has(name))
      .flatMap(([name, rows]) => rows.map(({ row }) => [`${name} ${(row as { id: number }).id}`, JSON.stringify(row)])),
  );
}

export function differenceOf(before: State, after: State): { added: string[]; changed: string[]; lost: string[] } {
  return {
    added: [...after.keys()].filter((key) => !before.has(key)),
    changed: [...before].filter(([key, row]) => after.has(key) && after.get(key) !== row).map(([key]) => key),
    lost: [...before.keys()].filter((key) => !after.has(key)),
  };
}
