/** A plan that waits for its commit, and how long its caller waits. */
import { AppError } from '../../domain/errors.ts';
import type { Transaction } from '../transaction.ts';

/** A failover of the database takes some seconds; who waits longer is better told. */
const PATIENCE_MS = 10_000;
const RETRY_SECONDS = 2;

export class Waiting {
  readonly plan: (tx: Transaction) => unknown;
  readonly answer: Promise<unknown>;
  /** Resolves when it waits no longer, with or without an answer. */
  readonly gone: Promise<void>;
  private settled = false;
  private settleWith!: { resolve(answer: unknown): void; reject(error: unknown): void };
  private leave!: () => void;
  private readonly timer: NodeJS.Timeout;

  constructor(plan: (tx: Transaction) => unknown) {
    this.plan = plan;
    this.answer = new Promise((resolve, reject) => (this.settleWith = { resolve, reject }));
    this.gone = new Promise((resolve) => (this.leave = resolve));
    this.timer = setTimeout(() => this.reject(databaseAway()), PATIENCE_MS);
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

/** The outcome of a write is not known then: it may yet be there. */
export function databaseAway(cause?: unknown): AppError {
  return new AppError(
    'unavailable',
    'The database of the server does not answer, or takes no writes. What was to be written may have been written or not: repeat the call, ' +
      'with the same Idempotency-Key if it had one.',
    { cause, retryAfterSeconds: RETRY_SECONDS, facts: { reason: 'database' } },
  );
}
