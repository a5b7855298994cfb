/** A plan that waits for its commit, and how long its caller waits. */
import type { Transaction } from '../tables/transaction.ts';
import { databaseAway } from './database/patience.ts';

export class Waiting {
  readonly plan: (tx: Transaction) => unknown;
  readonly answer: Promise<unknown>;
  /** Resolves when it waits no longer, with or without an answer. */
  readonly gone: Promise<void>;
  private settled = false;
  private settleWith!: { resolve(answer: unknown): void; reject(error: unknown): void };
  private leave!: () => void;
  private readonly timer: NodeJS.Timeout;

  constructor(plan: (tx: Transaction) => unknown, patienceMs: number) {
    this.plan = plan;
    this.answer = new Promise((resolve, reject) => (this.settleWith = { resolve, reject }));
    this.gone = new Promise((resolve) => (this.leave = resolve));
    this.timer = setTimeout(() => this.reject(databaseAway()), patienceMs);
  }

  get isSettled(): boolean {
    return this.settled;
  }

  resolve(answer: unknown): void {
    if (this.end()) this.settleWith.resolve(answer);
  }

  reject(error: unknown): void {
    if (this.end()) this.settleWith.reject(error);
  }

  private end(): boolean {
    if (this.settled) return false;
    this.settled = true;
    clearTimeout(this.timer);
    this.leave();
    return true;
  }
}
