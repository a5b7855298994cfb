/** Forwards each call and each read of the stdio process to the server, and sends it again where the answer got lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type Problem } from '../domain/errors.ts';
import type { ToolCall } from './calls/session.ts';
import type { Connection } from './calls/connection.ts';
import { openConnection } from './uplink/connection-transport.ts';
import { openPosts } from './uplink/post-transport.ts';
import type { ResourceText } from './calls/resources.ts';
import { problemTexts, toErrorResult, type ToolResult } from './calls/results.ts';
import {
  SILENCE_MS,
  type RequestOptions,
  type Transport,
  type TransportReply,
  type TransportRequest,
  type Trust,
} from './uplink/transport.ts';
import { RPC_INTERNAL_ERROR, RpcError } from './rpc.ts';

export interface ServerAddress {
  url: string;
  token: string | undefined;
  /** Certificates that a server over TLS is trusted by, beyond those that this machine trusts by itself. */
  trust?: Trust | undefined;
  /** Rejects with AppError when what listens there now must not get the token; it is asked before each connection. */
  assertTrusted?: () => Promise<void>;
}

/**
 * Finds the server, and may start one. It runs with the first call, and again when a call does not reach the server. `wasReached` says that
 * a server has answered this process before, so that a server which is being restarted is waited for. Rejects with AppError.
 */
export type Connect = (wasReached: boolean) => Promise<ServerAddress>;

export interface ForwardParts {
  connect: Connect;
  /** Profile of this process; the server applies it on top of its own. */
  profileName: string;
}

/** A restart takes two or three seconds, and a caller should not wait much longer to learn that something is wrong. */
const RESTART_MS = 10_000;
/** The call is tried again this long where the server was ready a moment ago and does not take the call. */
const FIRST_MS = 2000;
const RETRY_MS = 300;
/** The remedy for this process, which has a token of its own instead of callers that send one. */
const TOKEN_REMEDY = 'Have an administrator make a token (onair token create), and set ONAIR_TOKEN to it.';

export interface Forward extends Pick<Connection, 'call' | 'read'> {
  /** The result of `call` as JSON. */
  callText(call: ToolCall): Promise<string>;
  /** Reports a call that is refused here to the server, which counts and audits it. */
  reportRefused(operation: string): void;
}

export function createForward({ connect, profileName }: ForwardParts): Forward {
  let transport: Promise<Transport> | undefined;
  let wasReached = false;

  function currentTransport(): Promise<Transport> {
    if (transport !== undefined) return transport;
    const opened = openTransport(() => forget(opened));
    transport = opened;
    return opened;
  }

  async function openTransport(onClosed: () => void): Promise<Transport> {
    const { url, token, trust, assertTrusted } = await connect(wasReached);
    await assertTrusted?.();
    wasReached = true;
    const authorization = token === undefined ? undefined : { authorization: `Bearer ${token}` };
    const headers = { ...authorization, 'x-onair-profile': profileName };
    const address = { url: new URL('/mcp', url), headers, trust, assertTrusted };
    return (await openConnection(address, onClosed)) ?? openPosts(address);
  }

  /** The next request looks for the server again. A newer transport of another request is kept. */
  function forget(used: Promise<Transport>): void {
    if (transport === used) transport = undefined;
  }

  /** Rejects with AppError when there is no way to the server. */
  async function send(request: TransportRequest, options: RequestOptions): Promise<TransportReply> {
    const begunMs = performance.now();
    for (let tried = 1; ; tried += 1) {
      const forMs = performance.now() - begunMs;
      const used = currentTransport();
      try {
        const reply = await (await used).request(tried === 1 ? request : resent(request), options);
        // The token may have been renewed since, so the next call reads it again.
        if (isUnknown(reply)) forget(used);
        if (tried === 1 || !isStillRunning(reply) || forMs > SILENCE_MS) return reply;
      } catch (error) {
        if (options.signal?.aborted) throw unreachable(error);
        forget(used);
        const isFinal = error instanceof AppError && !(wasReached && error.code === 'unavailable');
        if (isFinal || forMs > (wasReached ? RESTART_MS : FIRST_MS)) {
          // The calls behind this one then fail sooner.
          wasReached = false;
          throw unreachable(error);
        }
      }
      await sleep(RETRY_MS);
    }
  }

  async function callText({ name, args, meta, signal, progress }: ToolCall): Promise<string> {
    // A call whose answer got lost is sent again under the same key, so that nothing is done twice.
    const _meta = { ...meta, idempotencyKey: meta['idempotencyKey'] ?? crypto.randomUUID() };
    try {
      const params = { name, arguments: args, _meta };
      return resultText(assertTokenKnown(await send({ method: 'tools/call', params }, { signal, progress })));
    } catch (error) {
      return JSON.stringify(toErrorResult(error, crypto.randomUUID()));
    }
  }

  return {
    callText,
    reportRefused(operation) {
      // The arguments are invalid, because a call that is refused here must not be made there. Its sender is answered already.
      const params = { name: operation, arguments: null };
      // A server that is away misses one entry of its audit.
      send({ method: 'tools/call', params }, {}).catch(() => undefined);
    },
    call: async (call) => JSON.parse(await callText(call)) as ToolResult,
    async read(uri) {
      const { result = '{}', error } = assertTokenKnown(await send({ method: 'resources/read', params: { uri } }, {}));
      const [contents] = (JSON.parse(result) as { contents?: ResourceText[] }).contents ?? [];
      if (contents !== undefined) return contents;
      throw new RpcError(error?.code ?? RPC_INTERNAL_ERROR, error?.message ?? 'No contents came.', error?.data);
    },
  };
}

/** The caller has seen no answer yet, so the server must not call its answer a repetition. */
function resent({ params, ...request }: TransportRequest): TransportRequest {
  return { ...request, params: { ...params, _meta: { ...(params['_meta'] as object | undefined), resent: true } } };
}

/** A refusal of the whole request carries the same problem object as a refused call. */
function resultText({ result, error }: TransportReply): string {
  if (result !== undefined) return result;
  const { message = '', data } = error ?? {};
  if (data?.['code'] === undefined)
    throw new AppError('internal', message || 'The server answered neither a result nor an error.');
  const content = problemTexts(data as Problem).map((text) => ({ type: 'text', text }) as const);
  return JSON.stringify({ content, structuredContent: data, isError: true } satisfies ToolResult);
}

function isUnknown({ error }: TransportReply): boolean {
  return error?.data?.['code'] === 'unauthenticated';
}

/** Throws AppError for a token that the server does not take. The token is set for this process, and its clients send no headers. */
function assertTokenKnown(reply: TransportReply): TransportReply {
  if (!isUnknown(reply)) return reply;
  const detail =
    'The server does not take the token of this process: it is unknown, revoked or expired. Set ONAIR_TOKEN to a valid one and start the process again.';
  throw new AppError('unauthenticated', detail, { remedy: TOKEN_REMEDY });
}

/** Whether the first sending has not ended yet: its key answers a conflict until then, and its result afterwards. */
function isStillRunning({ result = '{}' }: TransportReply): boolean {
  const { structuredContent: problem } = JSON.parse(result) as Partial<ToolResult>;
  return problem?.['code'] === 'conflict' && problem['retry_after_seconds'] !== undefined;
}

function unreachable(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const detail =
    'The onair server does not answer. Look at "onair status", then repeat the call: with the same idempotencyKey nothing is done twice.';
  return new AppError('unavailable', detail, { cause });
}
