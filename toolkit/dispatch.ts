/**
 * The one road of every call, from every door: rate → find → profile → role → parse input → idempotency → handle → check output →
 * audit. Nothing else calls a handler.
 */
import { AppError } from '../domain/errors.ts';
import { toIso, type Clock } from '../domain/clock.ts';
import type { Control } from '../domain/control.ts';
import type { Integrations } from '../domain/integrations.ts';
import type { Ahead } from '../domain/runtime.ts';
import type { System } from '../domain/system.ts';
import type { Caller, Via } from '../domain/security.ts';
import type { Store, Tx } from '../domain/store.ts';
import { assertAllowed, isMutating, type Profile } from './access.ts';
import { addAudit, auditEntry } from './audit.ts';
import { CallContext, type Ports } from './call-context.ts';
import type { Catalogue } from './catalogue.ts';
import { findReplay, isFinalRefusal, keyedCall, recordAnswer, recordRefusal, type KeyedCall } from './idempotency.ts';
import { parseInput } from './input/input.ts';
import { checkOutput } from './output/output.ts';
import { PAGE_SIZE, withEmbedded } from './output/page.ts';
import { assertNoPlaceholder } from './input/placeholders.ts';
import { assertPlainText } from './input/plain-text.ts';
import { previewOf, type Guarded } from './preview/preview.ts';
import type { RateLimit } from './rate-limit.ts';
import { withoutIdlePuts } from './preview/real-changes.ts';
import { createRefusedCalls } from './refused-calls.ts';
import { assertRoom } from './shortage.ts';
import { successStatus, type Answer, type Log, type Reads, type Tool, type ToolContext, type Upload } from './tool.ts';

export interface Call {
  /** operationId or workflow name. */
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
  /** Written in the commit of what the call does: who had it planned notes there that it is done. */
  alongside?: ((tx: Tx, now: string) => void) | undefined;
  /** A change on air that is planned for an instant which has not come. */
  ahead?: Ahead | undefined;
  /** Only tell what the call would do. */
  preview?: boolean | undefined;
}

export interface Reply {
  tool: Tool;
  body: unknown;
  status: number;
  etag: string | undefined;
  /** The answer is the stored one of an earlier call with the same Idempotency-Key. */
  replayed: boolean;
  file: Answer<unknown>['file'];
}

export interface Dispatcher {
  readonly catalogue: Catalogue;
  readonly profiles: readonly Profile[];
  /** IANA zone of the service, in which people are told times. */
  readonly timezone: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Rejects with AppError; anything else that a handler throws becomes `internal` and is logged with its request id. */
  dispatch(call: Call): Promise<Reply>;
  /** Counts a call that a door answers by itself against the caller's rate. Throws AppError rate_limited. */
  countCall(caller: Caller, via: Via): void;
  /**
   * For a call that a door refuses by itself, because it cannot be read: counted and audited as if it had been refused here. Answers
   * what the caller is told.
   */
  refuse(call: Call, error: unknown): Promise<AppError>;
  /** Before the store is closed: the audit is told of the refused calls that were only counted. */
  settle(): Promise<void>;
}

export interface DispatchParts {
  catalogue: Catalogue;
  profiles: readonly Profile[];
  store: Store;
  control: Control;
  integrations: Integrations;
  system: System;
  clock: Clock;
  log: Log;
  /** Left out: callers are not limited. */
  rateLimit?: RateLimit | undefined;
}

const ACCESS_CODES: ReadonlySet<string> = new Set(['forbidden', 'profile_forbidden']);

export function createDispatcher(parts: DispatchParts): Dispatcher {
  const { catalogue, profiles, store, control, integrations, system, clock, log, rateLimit } = parts;
  const inFlight = new Set<string>();
  const refusedCalls = createRefusedCalls({ store, clock, log });
  const reads: Reads = {
    get: (collection, id) => store.get(collection, id),
    getMany: (collection, ids) => store.getMany(collection, ids),
    find: (collection, query) => store.find(collection, query),
    view: (look) => store.tx(look),
  };
  const ports: Ports = { store: reads, control, integrations, system, clock, log };

  async function dispatch(call: Call): Promise<Reply> {
    // Before the name is looked up, for a wrong one costs as much. A refusal leaves no audit entry: the flood that is kept from the
    // operations must not reach the disk instead; the log says once a minute who it is.
    rateLimit?.take(call.caller, call.via);
    let tool: Tool | undefined;
    try {
      tool = catalogue.get(call.operation);
      assertAllowed(tool, call.profile, call.caller, profiles);
      assertNoPlaceholder(call.args);
      assertPlainText(call.args);
      const input = parseInput(tool.input, withDefaults(tool, call), call.args) as Record<string, unknown>;
      if (!isMutating(tool) || input['dry_run'] === true) return await read(tool, call, input);
      if (call.preview === true) return await preview(tool, call, input);
      if (call.idempotencyKey === undefined) return await write(tool, call, input, undefined);
      return await writeOnce(tool, call, input, call.idempotencyKey);
    } catch (error) {
      // What was refused before was audited then; its retry has done nothing, as the retry of a success.
      if (error instanceof AppError && error.extras.replayed) throw error;
      throw await refused(tool, call, error);
    }
  }

  async function read(tool: Tool, call: Call, input: Record<string, unknown>): Promise<Reply> {
    const refuseCommit = (): never => {
      throw new Error(`${tool.name} reads and must not commit`);
    };
    const answer = await tool.handle(context(call, refuseCommit, undefined), input as never);
    return reply(tool, answer, checkOutput(tool, answer.body, withEmbedded(input)), false);
  }

  async function preview(tool: Tool, call: Call, input: Record<string, unknown>): Promise<Reply> {
    const run = ({ commit, ...guarded }: Guarded): Promise<unknown> =>
      tool.handle(new CallContext(call, commit, { ...ports, ...guarded }, undefined), input as never);
    const body = await previewOf(tool, ports, (plan) => store.tx(plan), toIso(clock.now()), run);
    return { tool, body, status: 200, etag: undefined, replayed: false, file: undefined };
  }

  async function writeOnce(tool: Tool, call: Call, input: Record<string, unknown>, rawKey: string): Promise<Reply> {
    const keyed = keyedCall(tool, call, rawKey);
    if (inFlight.has(keyed.key)) {
      const detail =
        'A call with this Idempotency-Key is still running. Repeat it unchanged, with the same key, in a second: it then answers what became of the first.';
      throw new AppError('conflict', detail, { retryAfterSeconds: 1 });
    }
    inFlight.add(keyed.key);
    try {
      const stored = await findReplay(store, keyed, toIso(clock.now()));
      if (stored !== undefined) return reply(tool, stored, stored.body, true);
      return await write(tool, call, input, keyed);
    } finally {
      inFlight.delete(keyed.key);
    }
  }

  /** The handler, and its refusal kept for a retry. A disk that refuses this too leaves the retry to be a new attempt. */
  async function handle(
    tool: Tool,
    context_: ToolContext,
    input: object,
    keyed: KeyedCall | undefined,
  ): Promise<Answer<unknown>> {
    try {
      return await tool.handle(context_, input as never);
    } catch (error) {
      if (keyed !== undefined && isFinalRefusal(error)) {
        await store
          .tx((tx) => recordRefusal(tx, keyed, error, clock.now()))
          .catch((cause: unknown) => log.error({ err: cause }, 'refusal not stored for a retry'));
      }
      throw error;
    }
  }

  async function write(
    tool: Tool,
    call: Call,
    input: Record<string, unknown>,
    keyed: KeyedCall | undefined,
  ): Promise<Reply> {
    assertRoom(tool, store.health());
    let committed: Answer<unknown> | undefined;
    const record = (tx: Tx, answer: Answer<unknown>, nowMs: number): void => {
      addAudit(tx, auditEntry(tool, call, input, answer.body, 'ok', toIso(nowMs)));
      if (keyed !== undefined) recordAnswer(tx, keyed, answer, statusOf(tool, answer), nowMs);
      call.alongside?.(tx, toIso(nowMs));
    };
    const commit = async <T>(plan: (tx: Tx, now: string) => Answer<T>): Promise<Answer<T>> => {
      if (committed !== undefined) throw new Error(`${tool.name} commits twice`);
      const nowMs = clock.now();
      const answer = await store.tx((tx) => {
        const planned = plan(withoutIdlePuts(tx), toIso(nowMs));
        record(tx, { ...planned, body: checkOutput(tool, planned.body, undefined) }, nowMs);
        return planned;
      });
      committed = answer;
      return answer;
    };
    const answer = await handle(tool, context(call, commit, keyed?.changeId), input, keyed);
    const body = checkOutput(tool, answer.body, undefined);
    if (committed === undefined) await store.tx((tx) => record(tx, { ...answer, body }, clock.now()));
    // A workflow waits after its commit and answers more than it committed: the later answer is the one to replay.
    else if (committed !== answer && keyed !== undefined) {
      await store.tx((tx) => recordAnswer(tx, keyed, { ...answer, body }, statusOf(tool, answer), clock.now()));
    }
    return reply(tool, answer, body, false);
  }

  function context(call: Call, commit: ToolContext['commit'], changeId: string | undefined): ToolContext {
    return new CallContext(call, commit, ports, changeId);
  }

  /**
   * Turns what was thrown into an AppError. A refused mutation leaves an audit entry, and so do a read that was not the caller's to make
   * and a tool that there is not, which might have been anything.
   */
  async function refused(tool: Tool | undefined, call: Call, error: unknown): Promise<AppError> {
    const known = knownError(error);
    if (known.code === 'internal')
      log.error({ err: error, operation: call.operation, requestId: call.requestId }, 'call failed');
    const isKept = tool === undefined || isMutating(tool) || ACCESS_CODES.has(known.code);
    // What is left of a full disk is for what is done: who is refused for want of room asks again and again.
    const { ok, shortage } = store.health();
    if (isKept && ok && shortage === undefined) {
      const entry = auditEntry(tool, call, call.args, undefined, known.code, toIso(clock.now()));
      // The names of tools that there are not are the caller's inventions.
      await refusedCalls.note(call.caller, `${tool?.name ?? ''} ${known.code}`, entry);
    }
    return known;
  }

  async function refuse(call: Call, error: unknown): Promise<AppError> {
    try {
      rateLimit?.take(call.caller, call.via);
    } catch (limited) {
      return limited as AppError;
    }
    return refused(catalogue.find(call.operation), call, error);
  }

  const { timezone } = control;
  return {
    catalogue,
    profiles,
    timezone,
    clock,
    dispatch,
    countCall: (caller, via) => rateLimit?.take(caller, via),
    refuse,
    settle: () => refusedCalls.settle(),
  };
}

function knownError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('internal', 'The server failed to answer this call.', { cause: error });
}

function statusOf(tool: Tool, answer: Answer<unknown>): number {
  return answer.status ?? successStatus(tool.effect);
}

function reply(tool: Tool, answer: Answer<unknown>, body: unknown, replayed: boolean): Reply {
  const etag = answer.version === undefined ? undefined : `"${answer.version}"`;
  return { tool, body, status: statusOf(tool, answer), etag, replayed, file: answer.file };
}

/** A model gets short pages: 20 rows with the short fields unless it asks for others. */
function withDefaults(tool: Tool, call: Call): unknown {
  const { args } = call;
  // A tool that tells by itself what it would do tells more of it.
  if (call.preview === true && 'dry_run' in tool.input.shape) return { ...(args as object), dry_run: true };
  if (call.via !== 'mcp' || tool.shortFields === undefined) return args;
  // What is no object is refused as it is; spread, it would pass for an empty one.
  if (args !== undefined && (typeof args !== 'object' || args === null || Array.isArray(args))) return args;
  return { pageSize: PAGE_SIZE.mcp, fields: tool.shortFields.join(','), ...args };
}
