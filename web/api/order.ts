/**
 * An order under way: it shows what became of the request and never what is on air. Its key stays until an answer came, so that the server
 * carries it out once however often it is sent.
 */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { ProblemError } from './problems.ts';

/** People wonder whether a press was taken after this long; web pages say so. */
const UNCONFIRMED_MS = 2_500;
const FAILED_MS = 10_000;

export type OrderState<D> =
  | { kind: 'sent' }
  | { kind: 'unconfirmed' }
  | { kind: 'failed'; error: ProblemError; requestId: string }
  | { kind: 'answered'; data: D };

export interface OrderOf<D> {
  state: ReadonlySignal<OrderState<D>>;
  isBusy: ReadonlySignal<boolean>;
  /** Sends it again: under the same key, unless an answer came under it. */
  retry(): void;
  /** The answer's data. A failure leaves it open, because the order may be sent again. */
  done: Promise<D>;
}

export interface Timers {
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(timer: never): void;
}

interface OrderDeps<D> {
  send(ids: { key: string; requestId: string }): Promise<D>;
  newKey(): string;
  timers: Timers;
  /** What takes long by its nature has failed later than other orders. */
  failedMs?: number | undefined;
}

/** A proxy that could not reach the server, and a server that failed, have not said what became of the order. */
function isAnswer({ status }: ProblemError): boolean {
  return status > 0 && status < 500;
}

function asProblem(error: unknown, requestId: string): ProblemError {
  if (!(error instanceof ProblemError)) return new ProblemError(0, { detail: String(error), request_id: requestId });
  return new ProblemError(error.status, { request_id: requestId, ...error.fields });
}

export function createOrder<D>({ send, newKey, timers, failedMs = FAILED_MS }: OrderDeps<D>): OrderOf<D> {
  const state = signal<OrderState<D>>({ kind: 'sent' });
  let resolve: (data: D) => void = () => undefined;
  const done = new Promise<D>((settleDone) => (resolve = settleDone));
  let key = newKey();
  let attempt = 0;
  let waits: unknown[] = [];

  const settle = (next: OrderState<D>): void => {
    for (const wait of waits) timers.clearTimeout(wait as never);
    state.value = next;
  };
  const start = (): void => {
    attempt += 1;
    const own = attempt;
    const requestId = newKey();
    state.value = { kind: 'sent' };
    waits = [
      timers.setTimeout(() => (state.value = { kind: 'unconfirmed' }), UNCONFIRMED_MS),
      timers.setTimeout(() => {
        state.value = { kind: 'failed', error: new ProblemError(0, { request_id: requestId }), requestId };
      }, failedMs),
    ];
    send({ key, requestId }).then(
      (data) => {
        // An answer counts whichever attempt brings it: all have one key.
        attempt = Infinity;
        settle({ kind: 'answered', data });
        resolve(data);
      },
      (error: unknown) => {
        if (own !== attempt) return;
        const problem = asProblem(error, requestId);
        if (isAnswer(problem)) key = newKey();
        settle({ kind: 'failed', error: problem, requestId: problem.fields.request_id ?? requestId });
      },
    );
  };
  start();
  return {
    state,
    isBusy: computed(() => state.value.kind === 'sent' || state.value.kind === 'unconfirmed'),
    retry() {
      if (state.value.kind === 'failed') start();
    },
    done,
  };
}
