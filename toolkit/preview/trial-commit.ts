/** The commit of a dry run: the plan is made with all of its rules in a transaction that is taken back, and its answer is kept. */
import type { Tx } from '../../domain/ports/store.ts';
import type { Answer, Commit } from '../tool.ts';

/** Carries the answer out of the transaction, which an error takes back. */
class TakenBack extends Error {
  readonly answer: unknown;

  constructor(answer: unknown) {
    super('taken back');
    this.answer = answer;
  }
}

export function trialCommit(transact: <T>(plan: (tx: Tx) => T) => Promise<T>, now: string): Commit {
  return async <T>(plan: (tx: Tx, now: string) => Answer<T>): Promise<Answer<T>> => {
    try {
      return await transact((tx): never => {
        throw new TakenBack(plan(tx, now));
      });
    } catch (error) {
      if (error instanceof TakenBack) return error.answer as Answer<T>;
      throw error;
    }
  };
}
