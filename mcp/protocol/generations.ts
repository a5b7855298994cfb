/**
 * Both generations of the protocol over HTTP. Each has an SDK of its own, which the first request of that generation loads: together they
 * are a fifth of the program, and a server whose clients speak REST or come by `onair mcp` needs neither.
 */
import type { Log } from '../../domain/base/log.ts';
import { messagesOf, statesRevision } from '../rpc.ts';
import type { Server2025 } from './protocol-2025.ts';
import type { Server2026 } from './protocol-2026.ts';

export interface Generations {
  /** Undefined for a request of the older generation. A wrong request of 2026 counts as one, because that protocol then says what is wrong. */
  newer(request: Request, body: unknown): Promise<Server2026 | undefined>;
  older(): Promise<Server2025>;
}

export function createGenerations(log: Log | undefined): Generations {
  const load2026 = keptOnceLoaded(async () => (await import('./protocol-2026.ts')).createServer2026(log));
  const load2025 = keptOnceLoaded(async () => (await import('./protocol-2025.ts')).createServer2025());
  return {
    async newer(request, body) {
      if (!mayBe2026(request, body)) return undefined;
      const server = await load2026();
      return (await server.accepts(request, body)) ? server : undefined;
    },
    older: load2025,
  };
}

/**
 * A first look, because the SDK's own check costs a tenth of a call. Revisions are dates, and a request that states none is of the older
 * generation.
 */
function mayBe2026({ headers }: Request, body: unknown): boolean {
  return (headers.get('mcp-protocol-version') ?? '') >= '2026' || messagesOf(body).some(statesRevision);
}

/** A load that fails is tried again by the next request. */
function keptOnceLoaded<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
}
