/** The API of the managed cloud platform, which is another deployment of this service. */
import { AppError, ERROR_CODES, type ErrorCode } from '../../domain/base/errors.ts';
import { jsonOf } from '../../domain/base/json.ts';
import { exchange, quote } from '../exchange.ts';

export interface PlatformAccess {
  /** URL without the path prefix. */
  cloudUrl: string;
  /** The API token of the account. */
  password: string;
}

export interface PlatformCall {
  body?: object | FormData;
  idempotencyKey?: string;
  /** Secrets beside the account's own that the platform may repeat, such as stream keys. */
  secrets?: readonly string[];
  timeoutMs?: number;
  signal?: AbortSignal;
}

interface ToolReply<T> {
  result: { isError?: boolean; structuredContent?: T };
  error: { message?: string };
}

/** Uploads of media have a limit of their own. */
const TIMEOUT_MS = 8000;
const MAX_BYTES = 4 << 20;

export class Platform {
  private readonly access: PlatformAccess;
  private readonly idempotencyKey: string | undefined;

  constructor(access: PlatformAccess, idempotencyKey?: string) {
    this.access = access;
    this.idempotencyKey = idempotencyKey;
  }

  /** The same platform, on which each call with this key takes effect once; without a key, each time. */
  keyed(idempotencyKey: string | undefined): Platform {
    return idempotencyKey === undefined ? this : new Platform(this.access, idempotencyKey);
  }

  /** Rejects with AppError: the platform's own code where it is one of ours, unavailable when it cannot be reached. */
  async call<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, call: PlatformCall = {}): Promise<T> {
    return (await this.send(method, `/svcapiv2${path}`, call)) as T;
  }

  /** Calls a workflow tool by the platform's MCP API. Rejects as `call` does. */
  async workflow<T>(name: string, args: object, secrets: readonly string[]): Promise<T> {
    const params = { name, arguments: args };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const reply = (await this.send('POST', '/mcp', { body, secrets })) as Partial<ToolReply<T>> | undefined;
    const { isError, structuredContent: content } = reply?.result ?? {};
    if (content !== undefined && isError !== true) return content;
    const { status = 502 } = (content ?? {}) as { status?: number };
    const text = JSON.stringify(content ?? reply?.error ?? {});
    throw refusal(new URL(this.access.cloudUrl).host, status, text, [this.access.password, ...secrets]);
  }

  private async send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, call: PlatformCall): Promise<unknown> {
    const { cloudUrl, password } = this.access;
    const { body, idempotencyKey = this.idempotencyKey, secrets = [], timeoutMs = TIMEOUT_MS, signal } = call;
    const url = new URL(`${cloudUrl.replace(/\/+$/u, '')}${path}`);
    const isForm = body instanceof FormData;
    const { status, text } = await exchange({
      service: 'cloud platform',
      url,
      method,
      timeoutMs,
      maxBytes: MAX_BYTES,
      headers: {
        authorization: `Bearer ${password}`,
        accept: path === '/mcp' ? 'application/json, text/event-stream' : 'application/json',
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      secrets: [password, ...secrets],
      signal: signal ?? new AbortController().signal,
    }).catch((error: unknown) => {
      // The caller asks a platform again that cannot be reached.
      if (error instanceof AppError && error.code === 'upstream_failed')
        throw new AppError('unavailable', error.message);
      throw error;
    });
    if (status >= 400) throw refusal(url.host, status, text, [password, ...secrets]);
    return jsonOf(text);
  }
}

function refusal(host: string, status: number, text: string, secrets: readonly string[]): AppError {
  const problem = (jsonOf(text) ?? {}) as { code?: string; detail?: string };
  const upstream = quote(problem.detail ?? text, secrets);
  const detail = `The cloud platform at ${host} answered ${status}.`;
  const extras = upstream === '' ? {} : { upstream };
  // The platform's opinion of our token is not the caller's business: to the caller the platform is what failed.
  if (status === 401 || status === 403) return new AppError('upstream_failed', detail, extras);
  if (status === 429 || status >= 500) {
    const known: ErrorCode = problem.code === 'no_capacity' ? 'no_capacity' : 'unavailable';
    return new AppError(known, detail, extras);
  }
  const known = problem.code !== undefined && problem.code in ERROR_CODES;
  return new AppError(known ? (problem.code as ErrorCode) : 'upstream_failed', detail, extras);
}
