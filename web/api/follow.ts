/** Calls that take minutes, such as cutting a clip: the server tells how far it is (server-sent events), at last the answer. */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { OperationId } from '../../client/request.ts';
import { messagesOf } from '../event-stream.ts';
import { argumentsOf, dataIn } from './call.ts';
import { newKey, refusalOf, requestFor } from './client.ts';
import type { BodyOf, DataOf, ParamsOf } from './operation-types.ts';
import { ProblemError } from './problems.ts';

export interface Followed<D> {
  /** From 0 to 1. */
  progress: ReadonlySignal<number>;
  /** Rejects with ProblemError. */
  done: Promise<D>;
  /** The server ends the work and leaves nothing of it. */
  cancel(): void;
}

const ATTEMPTS = 3;
const RETRY_MS = 1000;

export function follow<O extends OperationId>(request: {
  operation: O;
  params?: ParamsOf<O>;
  body: BodyOf<O>;
}): Followed<DataOf<O>> {
  const { operation, params, body } = request;
  const share = signal(0);
  const stop = new AbortController();
  // The same for all attempts: what was done before a connection broke is answered, and not done twice.
  const key = newKey();

  async function attempt(): Promise<DataOf<O>> {
    const headers = { Accept: 'text/event-stream, application/json', 'Idempotency-Key': key };
    const { address, ...init } = requestFor(operation, argumentsOf(params, body), headers);
    const response = await fetch(address, { ...init, signal: stop.signal });
    if (!response.ok) throw await refusalOf(operation, response);
    if (response.headers.get('Content-Type') !== 'text/event-stream') return dataIn(await response.json()) as DataOf<O>;
    return dataIn(await lastOf(response, (progress) => (share.value = progress))) as DataOf<O>;
  }

  async function send(): Promise<DataOf<O>> {
    for (let count = 1; ; count += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof ProblemError) throw error;
        if (stop.signal.aborted || count === ATTEMPTS) throw new ProblemError(0, {});
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS * count));
      }
    }
  }

  return { progress: computed(() => share.value), done: send(), cancel: () => stop.abort() };
}

/** The answer at the end of the stream. Rejects with ProblemError for a problem, with another error for a stream that was cut off. */
async function lastOf(response: Response, onProgress: (share: number) => void): Promise<unknown> {
  for await (const { event, data: text } of messagesOf(response.body!)) {
    const data = JSON.parse(text) as object;
    if (event === 'answer') return data;
    if (event === 'problem') throw new ProblemError((data as { status?: number }).status ?? 500, data);
    const { progress, total } = data as { progress: number; total: number };
    onProgress(total > 0 ? Math.min(1, progress / total) : 0);
  }
  throw new Error('The stream ended without an answer.');
}
