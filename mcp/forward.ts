/** The stdio process's way to the server: each tools/call becomes one POST to its MCP door. */
import { AppError } from '../domain/errors.ts';
import { toErrorResult, type ToolResult } from './results.ts';
import type { ToolCall } from './call.ts';

export interface ServerAddress {
  url: string;
  token: string | undefined;
}

export interface ForwardParts {
  /** Where the server is; may start one. Asked again when a call does not reach it. */
  connect(): Promise<ServerAddress>;
  /** Profile of this process; the server applies it on top of its own. */
  profileName: string;
}

export type Forward = (call: ToolCall, requestId: string | number) => Promise<ToolResult>;

interface RpcMessage {
  id?: unknown;
  method?: string;
  params?: { progress?: number; total?: number; message?: string };
  result?: ToolResult;
  error?: { message?: string; data?: Record<string, unknown> };
}

/** Tries to reach a server, the first one included: the second follows a restart, the third a slow one. */
const TRIES = 3;
const RETRY_MS = 300;

export function createForward({ connect, profileName }: ForwardParts): Forward {
  // The server tells the calls of this process from those of another with the same token by it.
  const sessionId = crypto.randomUUID();
  let address: Promise<ServerAddress> | undefined;

  return async (call, requestId) => {
    // A call whose answer got lost is sent again under the same key, so that nothing is done twice.
    const meta = { ...call.meta, idempotencyKey: call.meta['idempotencyKey'] ?? crypto.randomUUID() };
    const params = { name: call.name, arguments: call.args, _meta: meta };
    for (let tried = 1; ; tried += 1) {
      try {
        address ??= connect();
        const result = await post(await address, { id: requestId, method: 'tools/call', params });
        // The token may have been renewed since: the next call asks for it again.
        if (result.structuredContent['code'] === 'unauthenticated') address = undefined;
        return result;
      } catch (error) {
        if (error instanceof AppError) return toErrorResult(error, crypto.randomUUID());
        address = undefined;
        if (call.signal.aborted || tried === TRIES) return toErrorResult(unreachable(error), crypto.randomUUID());
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS * tried));
      }
    }

    async function post(to: ServerAddress, message: object): Promise<ToolResult> {
      const headers = {
        ...(to.token !== undefined && { authorization: `Bearer ${to.token}` }),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': sessionId,
        'x-onair-profile': profileName,
      };
      const send = (body: object): Promise<Response> =>
        fetch(new URL('/mcp', to.url), { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...body }) });
      const cancel = (): void =>
        void send({ method: 'notifications/cancelled', params: { requestId } }).catch(() => undefined);
      call.signal.addEventListener('abort', cancel, { once: true });
      try {
        return await resultOf(await send(message), call.progress);
      } finally {
        call.signal.removeEventListener('abort', cancel);
      }
    }
  };
}

async function resultOf(response: Response, progress: ToolCall['progress']): Promise<ToolResult> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    for await (const message of eventsOf(response)) {
      const { params } = message;
      if (message.method === 'notifications/progress')
        progress?.(params?.progress ?? 0, params?.total ?? 0, params?.message ?? '');
      else if (message.id !== undefined) return settled(message);
    }
    throw new TypeError('The stream of the answer ended before the answer.');
  }
  return settled((await response.json()) as RpcMessage);
}

/** A refusal of the whole request carries the same problem object as a refused call. */
function settled({ result, error }: RpcMessage): ToolResult {
  if (result !== undefined) return result;
  const problem = error?.data;
  if (problem?.['code'] === undefined)
    throw new AppError('internal', error?.message ?? 'The server answered neither a result nor an error.');
  return { content: [{ type: 'text', text: error?.message ?? '' }], structuredContent: problem, isError: true };
}

/** The data of server-sent events (WHATWG HTML §9.2); our server writes one line of JSON an event. */
async function* eventsOf(response: Response): AsyncGenerator<RpcMessage> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice(6)) as RpcMessage;
  }
}

function unreachable(cause: unknown): AppError {
  return new AppError(
    'unavailable',
    'The onair server does not answer. Look at "onair status", then repeat the call.',
    { cause },
  );
}
