import { AppError } from '../../domain/errors.ts';
import type { Store } from '../../domain/store.ts';
import { auditRow } from './support.ts';

export interface Filled {
  /** Ids of the rows whose commits were acknowledged. */
  acknowledged: number[];
  refusals: { code: string; message: string }[];
}

/** Thirty-two writers at once, each until it is refused. */
export async function fillUntilRefused(store: Store): Promise<Filled> {
  const filled: Filled = { acknowledged: [], refusals: [] };
  const write = async (writer: number): Promise<void> => {
    for (;;) {
      const { id } = await store.tx((tx) => tx.insert('audit', auditRow(`writer ${writer} ${'x'.repeat(300)}`)));
      filled.acknowledged.push(id);
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 32 }, (_, writer) => write(writer)));
  for (const outcome of outcomes) {
    if (outcome.status !== 'rejected' || !(outcome.reason instanceof AppError)) throw new Error('A writer ended without a refusal.', { cause: outcome });
    filled.refusals.push({ code: outcome.reason.code, message: outcome.reason.message });
  }
  filled.acknowledged.sort((a, b) => a - b);
  return filled;
}

export async function auditIds(store: Store): Promise<number[]> {
  return (await store.find('audit', {})).rows.map(({ id }) => id);
}
