/** One call of a tool, and its reply, the same for every api of the product. */
import type { Ahead } from '../domain/shapes/changes/live-change.ts';
import type { Caller, Via } from '../domain/shapes/installation/security.ts';
import type { Tx } from '../domain/ports/store.ts';
import type { Profile } from './access.ts';
import { successStatus, type Answer, type Tool, type Upload } from './tool.ts';

export interface Call {
  /** An operationId, or the name of a workflow. */
  operation: string;
  args: unknown;
  caller: Caller;
  via: Via;
  profile: Profile;
  requestId: string;
  idempotencyKey?: string | undefined;
  /** If-Match as it came: a list of entity tags, or `*`. */
  ifMatch?: string | undefined;
  signal?: AbortSignal | undefined;
  progress?: ((done: number, total: number, message: string) => void) | undefined;
  upload?: Upload | undefined;
  /** Runs inside the commit of the call: the scheduler notes there that what it had planned is done. */
  alongside?: ((tx: Tx, now: string) => void) | undefined;
  /** A change on air that is planned for an instant which has not come. */
  ahead?: Ahead | undefined;
  /** True: the call only tells what it would do. */
  preview?: boolean | undefined;
}

export interface Reply {
  tool: Tool;
  body: unknown;
  status: number;
  etag: string | undefined;
  /** Names that people gave, which stand in the body's message; empty for a replay. */
  names: readonly string[];
  /** True: the answer is the stored one of an earlier call with the same Idempotency-Key. */
  replayed: boolean;
  file: Answer<unknown>['file'];
  /** The instant as of which the answer is, where the shared store does not answer and nothing newer is known. */
  asOf?: string;
}

const NO_NAMES: readonly string[] = [];

export function replyOf(tool: Tool, answer: Answer<unknown>, body: unknown, replayed: boolean): Reply {
  return {
    tool,
    body,
    status: statusOf(tool, answer),
    etag: answer.version === undefined ? undefined : `"${answer.version}"`,
    names: answer.names ?? NO_NAMES,
    replayed,
    file: answer.file,
  };
}

export function statusOf(tool: Tool, answer: Answer<unknown>): number {
  return answer.status ?? successStatus(tool.effect);
}
