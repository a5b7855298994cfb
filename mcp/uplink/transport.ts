/** The way of `onair mcp` to its server: one standing connection, or POSTs where something in between takes no such connection. */
import type { RequestOptions as RequestOptionsOverTls } from 'node:https';
import type { ToolCall } from '../calls/session.ts';
import type { RequestId } from '../rpc.ts';

export interface ServerAddress {
  url: URL;
  headers: Readonly<Record<string, string>>;
  trust?: Trust | undefined;
  /** See ServerAddress of mcp/forward.ts. */
  assertTrusted?: (() => Promise<void>) | undefined;
}

export type Trust = Pick<RequestOptionsOverTls, 'ca' | 'checkServerIdentity'>;

export interface TransportRequest {
  method: string;
  params: Record<string, unknown>;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  progress?: ToolCall['progress'];
}

/** The result as written JSON, because most results go on as they came, or the refusal of the whole request. */
export interface TransportReply {
  result?: string | undefined;
  error?: { code?: number; message?: string; data?: Record<string, unknown> } | undefined;
}

export interface Transport {
  /** Rejects when the answer is cut off, and may when the request is cancelled. */
  request(request: TransportRequest, options: RequestOptions): Promise<TransportReply>;
}

/** The server has gone after so long a silence: no call may wait longer for its outcome. */
export const SILENCE_MS = 300_000;

/** A message from the server. */
export interface RpcMessage {
  id?: RequestId | null;
  method?: string;
  params?: { progressToken?: RequestId; progress?: number; total?: number; message?: string };
  result?: Record<string, unknown>;
  error?: TransportReply['error'];
}

export function reportProgress({ params }: RpcMessage, progress: ToolCall['progress']): void {
  progress?.(params?.progress ?? 0, params?.total ?? 0, params?.message ?? '');
}

export function replyOf({ result, error }: RpcMessage): TransportReply {
  return { result: result && JSON.stringify(result), error };
}
