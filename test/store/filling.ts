import { AppError } from '../../domain/base/errors.ts';
import type { Store } from '../../domain/ports/store.ts';
import { settled } from '../helpers/pass.ts';
import { auditRow } from './support.ts';

export interface Filled {
  /** Ids of the rows whose commits were acknowledged. */
  acknowledged: number[];
  refusals: { code: string; message: string }[];
}

/** Thirty-two writers at once, each until it is refused, and a reader, who must never have seen a row that was refused. */
export async function fillUntilRefused(store: Store): Promise<Filled> {
  const filled: Filled = { acknowledged: [], refusals: [] };
  const write = async (writer: number): Promise<void> => {
    for (;;) {
      const { id } = await store.tx((tx) => tx.insert('audit', auditRow(`writer ${writer} ${'x'.repeat(300)}`)));
      filled.acknowledged.push(id);
    }
  };
  const seen = new Set<number>();
  let filling = true;
  const read = async (): Promise<void> => {
    while (filling) {
      const newest = await store.find('audit', { sort: { field: 'id', descending: true }, limit: 64 });
      for (const { id } of newest.rows) seen.add(id);
      await settled();
    }
  };
  const reader = read();
  const outcomes = await Promise.allSettled(Array.from({ length: 32 }, (_, writer) => write(writer)));
  filling = false;
  await reader;
  for (const outcome of outcomes) {
    if (outcome.status !== 'rejected' || !(outcome.reason instanceof AppError))
      throw new Error('A writer ended without a refusal.', { cause: outcome });
    filled.refusals.push({ code: outcome.reason.code, message: outcome.reason.message });
  }
  const refused = [...seen].filter((id) => !filled.acknowledged.includes(id));
  if (refused.length > 0 || seen.size === 0)
    throw new Error(`Rows were shown that were refused: ${refused.join(', ')}`);
  filled.acknowledged.sort((a, b) => a - b);
  return filled;
}

export async function auditIds(store: Store): Promise<number[]> {
  return (await store.find('audit', {})).rows.map(({ id }) => id);
}
