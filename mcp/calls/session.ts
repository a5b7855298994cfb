/** One request of a known caller, and one tools/call in it. */
import type { Caller, Via } from '../../domain/shapes/installation/security.ts';
import type { Profile } from '../../toolkit/access.ts';
import type { Dispatcher } from '../../toolkit/dispatch.ts';
import type { Log } from '../../domain/base/log.ts';
import type { ToolSearch } from '../search/search.ts';
import type { Surface } from './surface.ts';

/** The sender of a request, once its token has been accepted. */
export interface Sender {
  headers: Headers;
  caller: Caller;
  via: Via;
  requestId: string;
}

/** Everything that is the same for all calls of one request. */
export interface Session {
  dispatcher: Dispatcher;
  search: ToolSearch;
  surface: Surface;
  profile: Profile;
  caller: Caller;
  requestId: string;
  via: Via;
  /** The key of the request, which then holds one call. */
  idempotencyKey?: string | undefined;
  log?: Log | undefined;
}

export interface ToolCall {
  name: string;
  args: Record<string, unknown>;
  meta: Record<string, unknown>;
  signal: AbortSignal;
  progress?: ((done: number, total: number, message: string) => void) | undefined;
}
