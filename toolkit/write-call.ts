/** The second half of a call that changes something: idempotency → handle → check output → audit, in one commit. */
import { toIso, type Clock } from '../domain/time/clock.ts';
import { AppError } from '../domain/base/errors.ts';
import { KeyTaken, type Store, type Tx } from '../domain/ports/store.ts';
import { accessEnded } from './ended-access.ts';
import { addAudit, auditEntry } from './audit.ts';
import { replyOf, statusOf, type Call, type Reply } from './call.ts';
import { CallContext, type Ports } from './call-context.ts';
import {
  findReplay,
  isFinalRefusal,
  keyedCall,
  recordAnswer,
  recordRefusal,
  replaceAnswer,
  type KeyedCall,
} from './idempotency.ts';
import { checkOutput } from './output/output.ts';
import { withoutIdlePuts } from './preview/real-changes.ts';
import { assertRoom } from './shortage.ts';
import type { Log } from '../domain/base/log.ts';
import type { Answer, Tool, ToolContext } from './tool.ts';

type Input = Record<string, unknown>;
/** Runs one call with input that has passed its schema. Rejects with whatever the handler throws. */
export type WriteCall = (tool: Tool, call: Call, input: Input) => Promise<Reply>;

export interface WriteDeps {
  store: Store;
  clock: Clock;
  log: Log;
  ports: Ports;
}

const RUNNING =
  'A call with this Idempotency-Key is still running. Repeat it unchanged, with the same key, in a second: it then answers what became of the first.';

export function createWriteCall(deps: WriteDeps): WriteCall {
  const { store, clock } = deps;
  const runningKeys = new Set<string>();

  async function writeOnce(tool: Tool, call: Call, input: Input, rawKey: string): Promise<Reply> {
    const keyed = keyedCall(tool, call, rawKey);
    if (runningKeys.has(keyed.key)) {
      throw new AppError('conflict', RUNNING, { retryAfterSeconds: 1 });
    }
    runningKeys.add(keyed.key);
    try {
      const stored = await findReplay(store, keyed, toIso(clock.now()));
      if (stored !== undefined) return replyOf(tool, stored, stored.body, true);
      return await write(deps, tool, call, input, keyed).catch((error: unknown) => replay(tool, keyed, error));
    } finally {
      runningKeys.delete(keyed.key);
    }
  }

  /** The same call went through another process meanwhile: nothing of this one was written, and the answer is that of the other. */
  async function replay(tool: Tool, keyed: KeyedCall, error: unknown): Promise<Reply> {
    if (!(error instanceof KeyTaken)) throw error;
    const stored = await findReplay(store, keyed, toIso(clock.now()));
    if (stored !== undefined) return replyOf(tool, stored, stored.body, true);
    throw new AppError('conflict', RUNNING, { retryAfterSeconds: 1, cause: error });
  }

  return async (tool, call, input) => {
    const key = call.idempotencyKey;
    const reply = await (key === undefined
      ? write(deps, tool, call, input, undefined)
      : writeOnce(tool, call, input, key));
    if (tool.endsAccess?.(input as never) === true) await accessEnded(store, call.progress);
    return reply;
  };
}

async function write(
  deps: WriteDeps,
  tool: Tool,
  call: Call,
  input: Input,
  keyed: KeyedCall | undefined,
): Promise<Reply> {
  const { store, clock, ports } = deps;
  assertRoom(tool, store.health());
  let committed: Answer<unknown> | undefined;
  const record = (tx: Tx, answer: Answer<unknown>, nowMs: number): void => {
    addAudit(tx, auditEntry(tool, call, { input, body: answer.body, outcome: 'ok', at: toIso(nowMs) }));
    if (keyed !== undefined && answer.pending !== true) recordAnswer(tx, keyed, answer, statusOf(tool, answer), nowMs);
    call.alongside?.(tx, toIso(nowMs));
  };
  const commit = async <T>(plan: (tx: Tx, now: string) => Answer<T>): Promise<Answer<T>> => {
    if (committed !== undefined) throw new Error(`${tool.name} commits twice`);
    const nowMs = clock.now();
    const answer = await store.tx((tx) => {
      const planned = plan(withoutIdlePuts(tx), toIso(nowMs));
      record(tx, { ...planned, body: checkOutput(tool, planned.body, undefined, deps.log) }, nowMs);
      return planned;
    });
    committed = answer;
    return answer;
  };
  const answer = await handle(deps, tool, new CallContext(call, commit, ports, keyed?.changeId), input, keyed);
  const body = checkOutput(tool, answer.body, undefined, deps.log);
  if (committed === undefined) await store.tx((tx) => record(tx, { ...answer, body }, clock.now()));
  // A workflow waits after its commit and answers more than it committed: the later answer is the one to replay.
  else if (committed !== answer && keyed !== undefined && answer.pending !== true) {
    await store.tx((tx) => replaceAnswer(tx, keyed, { ...answer, body }, statusOf(tool, answer), clock.now()));
  }
  return replyOf(tool, answer, body, false);
}

/** Runs the handler and stores its refusal for a retry. Where a full disk refuses the record too, a retry is a new attempt. */
async function handle(
  { store, clock, log }: WriteDeps,
  tool: Tool,
  context: ToolContext,
  input: Input,
  keyed: KeyedCall | undefined,
): Promise<Answer<unknown>> {
  try {
    return await tool.handle(context, input as never);
  } catch (error) {
    if (keyed !== undefined && isFinalRefusal(error)) {
      await store
        .tx((tx) => recordRefusal(tx, keyed, error, clock.now()))
        .catch((cause: unknown) => {
          // What refused this call may be the effect of the same call at another process.
          if (cause instanceof KeyTaken) throw cause;
          log.error({ err: cause }, 'refusal not stored for a retry');
        });
    }
    throw error;
  }
}
