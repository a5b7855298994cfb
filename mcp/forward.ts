/** The stdio process's way to the server: each call and each read becomes one POST to its MCP door. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import type { ToolCall } from './call.ts';
import type { Connection } from './connection.ts';
import { messageOf, type RpcMessage } from './event-stream.ts';
import { createPost, type Post } from './post.ts';
import type { ResourceText } from './resources.ts';
import { toErrorResult, type ToolResult } from './results.ts';
import { RPC_INTERNAL_ERROR, RpcError, type RequestId } from './rpc.ts';

export interface ServerAddress {
  url: string;
  token: string | undefined;
}

/**
 * Where a server answers; may start one. Asked with the first call, and again when a call does not reach it: `wasReached` says that one
 * has answered this process before, so that one which is being restarted is waited for. Rejects with AppError.
 */
export type Connect = (wasReached: boolean) => Promise<ServerAddress>;

export interface ForwardParts {
  connect: Connect;
  /** Profile of this process; the server applies it on top of its own. */
  profileName: string;
}

/** A restart takes two or three seconds; whoever asks does not wait much longer to hear that something is wrong. */
const RESTART_MS = 10_000;
/** A server that was ready a moment ago and does not take the call: tried again this long. */
const FIRST_MS = 2000;
const RETRY_MS = 300;
/** Of this process, which has a token instead of callers that send one. */
export const TOKEN_REMEDY = 'Have an administrator make a token (onair token create), and set ONAIR_TOKEN to it.';
/** Longer than any call may wait for its outcome. */
const LONGEST_CALL_MS = 300_000;

interface Asked {
  id: RequestId;
  method: string;
  params: Record<string, unknown>;
}

interface Asking {
  signal?: AbortSignal;
  progress?: ToolCall['progress'];
}

export function createForward({ connect, profileName }: ForwardParts): Pick<Connection, 'call' | 'read'> {
  // The server tells the calls of this process from those of another with the same token by it.
  const sessionId = crypto.randomUUID();
  const post = createPost();
  let address: Promise<ServerAddress> | undefined;
  let wasReached = false;

  /** Rejects with AppError when there is no way to the server. */
  async function ask(request: Asked, how: Asking): Promise<RpcMessage> {
    const begunMs = performance.now();
    for (let tried = 1; ; tried += 1) {
      const forMs = performance.now() - begunMs;
      try {
        const to = await (address ??= connect(wasReached));
        wasReached = true;
        const reply = await exchange(to, tried === 1 ? request : resent(request), how);
        // The token may have been renewed since: the next call asks for it again.
        if (codeOf(reply) === 'unauthenticated') address = undefined;
        if (tried === 1 || !isStillRunning(reply) || forMs > LONGEST_CALL_MS) return reply;
      } catch (error) {
        address = undefined;
        const isFinal = error instanceof AppError && !(wasReached && error.code === 'unavailable');
        if (isFinal || how.signal?.aborted || forMs > (wasReached ? RESTART_MS : FIRST_MS)) {
          // The calls behind this one need not find it out as slowly.
          wasReached = false;
          throw unreachable(error);
        }
      }
      await sleep(RETRY_MS);
    }
  }

  async function exchange(to: ServerAddress, request: { id: RequestId }, how: Asking): Promise<RpcMessage> {
    const headers = {
      ...(to.token !== undefined && { authorization: `Bearer ${to.token}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': sessionId,
      'x-onair-profile': profileName,
    };
    const send = (message: object): ReturnType<Post> => {
      const body = JSON.stringify({ jsonrpc: '2.0', ...message });
      return post(new URL('/mcp', to.url), { headers, body, silenceMs: LONGEST_CALL_MS });
    };
    const cancel = (): void =>
      void send({ method: 'notifications/cancelled', params: { requestId: request.id } }).then(
        (taken) => taken.resume(),
        () => undefined,
      );
    how.signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await messageOf(await send(request), how.progress);
    } finally {
      how.signal?.removeEventListener('abort', cancel);
    }
  }

  return {
    async call({ name, args, meta, signal, progress }, id) {
      // A call whose answer got lost is sent again under the same key, so that nothing is done twice.
      const _meta = { ...meta, idempotencyKey: meta['idempotencyKey'] ?? crypto.randomUUID() };
      try {
        const params = { name, arguments: args, _meta };
        return toolResult(known(await ask({ id, method: 'tools/call', params }, { signal, progress })));
      } catch (error) {
        return toErrorResult(error, crypto.randomUUID());
      }
    },
    async read(uri, id) {
      const { result, error } = known(await ask({ id, method: 'resources/read', params: { uri } }, {}));
      const [contents] = (result?.['contents'] ?? []) as ResourceText[];
      if (contents !== undefined) return contents;
      throw new RpcError(error?.code ?? RPC_INTERNAL_ERROR, error?.message ?? 'No contents came.', error?.data);
    },
  };
}

/** Who asked has seen no answer yet, so none may be told as a repetition. */
function resent({ params, ...request }: Asked): Asked {
  return { ...request, params: { ...params, _meta: { ...(params['_meta'] as object | undefined), resent: true } } };
}

/** A refusal of the whole request carries the same problem object as a refused call. */
function toolResult({ result, error }: RpcMessage): ToolResult {
  if (result !== undefined) return result as ToolResult;
  if (error?.data?.['code'] === undefined)
    throw new AppError('internal', error?.message ?? 'The server answered neither a result nor an error.');
  return { content: [{ type: 'text', text: error.message ?? '' }], structuredContent: error.data, isError: true };
}

function problemOf({ result, error }: RpcMessage): Record<string, unknown> {
  return error?.data ?? (result as ToolResult | undefined)?.structuredContent ?? {};
}

const codeOf = (reply: RpcMessage): unknown => problemOf(reply)['code'];

/** Throws AppError for a token that the server does not take: whoever started this process set it, and no client of it sends headers. */
function known(reply: RpcMessage): RpcMessage {
  if (codeOf(reply) !== 'unauthenticated') return reply;
  const detail =
    'The server does not take the token of this process: it is unknown, revoked or expired. Set ONAIR_TOKEN to a valid one and start the process again.';
  throw new AppError('unauthenticated', detail, { remedy: TOKEN_REMEDY });
}

/** What was sent before its answer got lost has not ended yet: its key answers so, and then what became of it. */
function isStillRunning(reply: RpcMessage): boolean {
  return codeOf(reply) === 'conflict' && problemOf(reply)['retry_after_seconds'] !== undefined;
}

function unreachable(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const detail =
    'The onair server does not answer. Look at "onair status", then repeat the call: with the same idempotencyKey nothing is done twice.';
  return new AppError('unavailable', detail, { cause });
}
