/** Forwards each call and each read of the stdio process to the server, and sends it again where the answer got lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type Problem } from '../domain/base/errors.ts';
import { jsonOf } from '../domain/base/json.ts';
import type { ToolCall } from './calls/session.ts';
import type { Connection } from './calls/connection.ts';
import type { ResourceText } from './calls/resources.ts';
import { problemTexts, toErrorResult, type ToolResult } from './calls/results.ts';
import {
  openPosts,
  SilentServer,
  type PostedRequest,
  type Posted,
  type PostOptions,
  type Posts,
  type PostsAddress,
} from './posts.ts';
import { REVISION, RPC_INTERNAL_ERROR, RpcError, type RequestId } from './rpc.ts';

export interface ServerAddress extends Pick<PostsAddress, 'trust' | 'assertTrusted' | 'watchSilence'> {
  url: string;
  token: string | undefined;
}

/**
 * Finds the server, and may start one. It runs with the first call, and again when a call does not reach the server. `wasReached` says that
 * a server has answered this process before, so that a server which is being restarted is waited for. Rejects with AppError.
 */
export type Connect = (wasReached: boolean) => Promise<ServerAddress>;

export interface ForwardDeps {
  connect: Connect;
  /** Profile of this process; the server applies it on top of its own. */
  profileName: string;
}

/** A restart takes two or three seconds, and a caller should not wait much longer to learn that something is wrong. */
const RESTART_MS = 10_000;
/** The call is tried again this long where the server was ready a moment ago and does not take the call. */
const FIRST_MS = 2000;
const RETRY_MS = 300;
/** No call takes longer: one that was sent again is waited for so long. */
const MAX_CALL_MS = 300_000;
const UNKNOWN_TOKEN = 401;
/** The remedy for this process, which has a token of its own instead of callers that send one. */
const TOKEN_REMEDY = 'Have an administrator make a token (onair token create), and set ONAIR_TOKEN to it.';

export interface Forward extends Pick<Connection, 'call' | 'read'> {
  /** The whole answer to `call`, as JSON. */
  answerText(call: ToolCall, id: RequestId): Promise<string>;
  /** Reports a call that is refused here to the server, which counts and audits it. */
  reportRefused(operation: string): void;
}

export function createForward({ connect, profileName }: ForwardDeps): Forward {
  let posts: Promise<Posts> | undefined;
  let wasReached = false;

  async function open(): Promise<Posts> {
    const { url, token, ...address } = await connect(wasReached);
    wasReached = true;
    const authorization = token === undefined ? undefined : { authorization: `Bearer ${token}` };
    const headers = { ...authorization, 'x-onair-profile': profileName };
    return openPosts({ ...address, url: new URL('/mcp', url), headers });
  }

  /** The next request looks for the server again. Newer posts of another request are kept. */
  function forget(used: Promise<Posts>): void {
    if (posts === used) posts = undefined;
    used.then(
      (opened) => opened.close(),
      () => undefined,
    );
  }

  /** Rejects with AppError when there is no way to the server. */
  async function send(request: PostedRequest, options: PostOptions): Promise<Posted> {
    const begunMs = performance.now();
    for (let tried = 1; ; tried += 1) {
      const forMs = performance.now() - begunMs;
      const used = (posts ??= open());
      try {
        const posted = await (await used).request(tried === 1 ? request : resent(request), options);
        // A proxy that finds no server, or a stream that is cut off.
        if (!isResult(posted) && jsonOf(posted.text) === undefined) throw new Error('The answer is no message.');
        // The token may have been renewed since, so the next call reads it again.
        if (posted.status === UNKNOWN_TOKEN) forget(used);
        if (tried === 1 || !isStillRunning(posted) || forMs > MAX_CALL_MS) return posted;
      } catch (error) {
        if (options.signal?.aborted) throw unreachable(error);
        forget(used);
        const isFinal =
          error instanceof SilentServer || (error instanceof AppError && !(wasReached && error.code === 'unavailable'));
        if (isFinal || forMs > (wasReached ? RESTART_MS : FIRST_MS)) {
          // The calls behind this one then fail sooner.
          wasReached = false;
          throw unreachable(error);
        }
      }
      await sleep(RETRY_MS);
      // Nobody waits for it any more, and it may not have been begun.
      if (options.signal?.aborted) throw unreachable(undefined);
    }
  }

  async function answerText({ name, args, meta, signal, progress }: ToolCall, id: RequestId): Promise<string> {
    // A call whose answer got lost is sent again under the same key, so that nothing is done twice.
    const idempotencyKey = meta['idempotencyKey'] ?? crypto.randomUUID();
    // A token asks the server for progress, and a stream costs twice as much as a document.
    const progressToken = progress && id;
    // To the server it is a call of the older generation, whatever the client speaks.
    const params = { name, arguments: args, _meta: { ...meta, [REVISION]: undefined, idempotencyKey, progressToken } };
    try {
      const posted = assertTokenKnown(await send({ id, method: 'tools/call', params }, { signal, progress }));
      return isResult(posted) ? posted.text : answerOf(id, refusedResult(posted));
    } catch (error) {
      return answerOf(id, toErrorResult(error, crypto.randomUUID()));
    }
  }

  return {
    answerText,
    reportRefused(operation) {
      // The arguments are none: a call that is refused here must not be made there. A server that is away misses one entry of its audit.
      const params = { name: operation, arguments: 0 };
      send({ id: 'refused', method: 'tools/call', params }, {}).catch(() => undefined);
    },
    call: async (call, id) => (JSON.parse(await answerText(call, id)) as { result: ToolResult }).result,
    async read(uri, id) {
      const posted = assertTokenKnown(await send({ id, method: 'resources/read', params: { uri } }, {}));
      return contentsOf(posted);
    },
  };
}

/** The caller has seen no answer yet, so the server must not call its answer a repetition. */
function resent({ params, ...request }: PostedRequest): PostedRequest {
  return { ...request, params: { ...params, _meta: { ...(params['_meta'] as object | undefined), resent: true } } };
}

interface RefusedMessage {
  error?: { code?: number; message?: string; data?: Record<string, unknown> };
}

/** The server writes the result first. */
function isResult({ status, text }: Posted): boolean {
  return status === 200 && text.startsWith('{"result":');
}

/** Throws RpcError for a refusal. */
function contentsOf({ text }: Posted): ResourceText {
  const { result, error } = JSON.parse(text) as { result?: { contents?: ResourceText[] } } & RefusedMessage;
  const [contents] = result?.contents ?? [];
  if (contents !== undefined) return contents;
  throw new RpcError(error?.code ?? RPC_INTERNAL_ERROR, error?.message ?? 'No contents came.', error?.data);
}

function answerOf(id: RequestId, result: ToolResult): string {
  return JSON.stringify({ result, jsonrpc: '2.0', id });
}

/** A refusal of the whole request carries the same problem object as a refused call. */
function refusedResult({ text }: Posted): ToolResult {
  const { message = '', data } = (JSON.parse(text) as RefusedMessage).error ?? {};
  if (data?.['code'] === undefined)
    throw new AppError('internal', message || 'The server answered neither a result nor an error.');
  const content = problemTexts(data as Problem).map((text) => ({ type: 'text', text }) as const);
  return { content, structuredContent: data, isError: true };
}

/** Throws AppError for a token that the server does not take. The token is set for this process, and its clients send no headers. */
function assertTokenKnown(posted: Posted): Posted {
  if (posted.status !== UNKNOWN_TOKEN) return posted;
  const detail =
    'The server does not take the token of this process: it is unknown, revoked or expired. Set ONAIR_TOKEN to a valid one and start the process again.';
  throw new AppError('unauthenticated', detail, { remedy: TOKEN_REMEDY });
}

/** Whether the first sending has not ended yet: its key answers a conflict until then, and its result afterwards. */
function isStillRunning({ text }: Posted): boolean {
  const problem = (JSON.parse(text) as { result?: ToolResult }).result?.structuredContent;
  return problem?.['code'] === 'conflict' && problem['retry_after_seconds'] !== undefined;
}

function unreachable(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const begin =
    cause instanceof SilentServer
      ? 'The onair server has gone silent in the middle of this call and does not say whether it is ready, so that nobody knows whether the call was made.'
      : 'The onair server does not answer.';
  const detail = `${begin} Look at "onair status", then repeat the call: with the same idempotencyKey nothing is done twice.`;
  return new AppError('unavailable', detail, { cause });
}
