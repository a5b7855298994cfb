/** One tools/call, from any transport: the meta-tools here, everything else through dispatch. Never throws. */
import { AppError, invalidInput } from '../../domain/errors.ts';
import type { Caller, Via } from '../../domain/security.ts';
import { isSpoken, profiles } from '../../profiles/profiles.ts';
import { refusalOf, type Profile } from '../../toolkit/access.ts';
import type { Dispatcher } from '../../toolkit/dispatch.ts';
import { parseInput } from '../../toolkit/input/input.ts';
import type { Preview } from '../../toolkit/preview/preview.ts';
import { notingNames } from '../../toolkit/said.ts';
import type { Log, Tool } from '../../toolkit/tool.ts';
import { confirmationRequired, isUnconfirmed, withConfirmation, type Confirmable } from './confirmation.ts';
import { callTaken, withCorrection } from './corrections.ts';
import { hearingOf, tellingOf } from '../voice/answer-context.ts';
import { CALL_TOOL, parseInnerCall, SEARCH_TOOLS, searchInput, type Taken } from './meta-tools.ts';
import { withIds, type Read } from './named-ids.ts';
import { meantCall, refuseCall } from './refused-calls.ts';
import { toErrorResult, toResult, type ToolResult } from './results.ts';
import { answerSearch } from '../search/search-answer.ts';
import type { ToolSearch } from '../search/search.ts';
import { spokenSearch } from '../voice/spoken-search.ts';
import type { Surface } from './surface.ts';

/** Deeper than any schema of ours by far; a bound on what recursion may meet. */
const MAX_DEPTH = 32;

/** What is the same for all calls of one request. */
export interface Session {
  dispatcher: Dispatcher;
  search: ToolSearch;
  surface: Surface;
  profile: Profile;
  caller: Caller;
  requestId: string;
  via: Via;
  /** That of the request, which then holds one call. */
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

/** A call whose frame and wrapping have been read. */
interface Wanted extends Confirmable {
  idempotencyKey: string | undefined;
  ifMatch: string | undefined;
  /** By the process in between, which lost the answer to its first sending. */
  isResent: boolean;
}

export function runToolCall(session: Session, call: ToolCall): Promise<ToolResult> {
  if (!isSpoken(session.profile)) return answerCall(session, call, []);
  const said = new Set<string>();
  return notingNames(said, () => answerCall(session, call, said));
}

/** `said` holds the names that the call has said so far, where they are to be heard. */
async function answerCall(session: Session, call: ToolCall, said: Iterable<string>): Promise<ToolResult> {
  try {
    const wanted = await wantedOf(session, call);
    return await runTool(session, call, wanted, said).catch(async (refusal: unknown) => {
      const { error, ids } = await withIds(refusal, wanted, readsOf(session));
      throw withCorrection(error, wanted, session, ids);
    });
  } catch (error) {
    if (!(error instanceof AppError))
      session.log?.error({ err: error, requestId: session.requestId }, 'tool call failed');
    return toErrorResult(error, session.requestId, isSpoken(session.profile) ? tellingOf(session, said) : undefined);
  }
}

/** What cannot be read is refused as dispatch would, under the name of the operation that was meant. */
async function wantedOf(session: Session, call: ToolCall): Promise<Wanted> {
  try {
    return read(call, session);
  } catch (error) {
    throw await refuseCall(session, meantCall(call.name, call.args), error);
  }
}

function read({ meta, ...call }: ToolCall, { idempotencyKey: keyOfRequest, dispatcher }: Session): Wanted {
  const taken: Taken = (operationId, inner) => callTaken(inner, [operationId], dispatcher.catalogue)?.args;
  const isInner = call.name === CALL_TOOL;
  const inner = isInner ? parseInnerCall(call.args, taken) : { ...call, preview: false, confirmed: false };
  const { name, args, preview, confirmed } = inner;
  if (name === CALL_TOOL) {
    throw new AppError('unknown_operation', 'call_tool does not call itself. Name the operation to run.');
  }
  assertShallow(args);
  const [idempotencyKey, ifMatch] = [keyOf(meta, keyOfRequest), textOf(meta, 'ifMatch')];
  return { name, args, isInner, preview, confirmed, idempotencyKey, ifMatch, isResent: meta['resent'] === true };
}

async function runTool(
  session: Session,
  { signal, progress }: ToolCall,
  sent: Wanted,
  said: Iterable<string>,
): Promise<ToolResult> {
  const { dispatcher, caller, profile, requestId, via } = session;
  const tool = dispatcher.catalogue.find(sent.name);
  const wanted = withConfirmation(sent, tool);
  const { name, args, idempotencyKey, ifMatch } = wanted;
  const isAskedBack = isUnconfirmed(wanted, tool, profile);
  if (name === SEARCH_TOOLS) {
    dispatcher.countCall(caller, via);
    return searchTools(session, args);
  }
  const reply = await dispatcher.dispatch({
    operation: name,
    args,
    caller,
    via,
    profile,
    requestId,
    idempotencyKey,
    ifMatch,
    signal,
    progress,
    preview: wanted.preview || isAskedBack,
  });
  if (isAskedBack) throw confirmationRequired(wanted, reply.body as Preview);
  return toResult(reply, { hearing: await hearingOf(session, reply, args, said), isResent: wanted.isResent });
}

function searchTools(session: Session, args: Record<string, unknown>): ToolResult {
  const { search, surface, dispatcher, profile, caller } = session;
  const refusal = (tool: Tool): string | undefined => refusalOf(tool, profile, caller, profiles)?.message;
  const answer = answerSearch(search, parseInput(searchInput, args), (tool) => surface.allows(tool), refusal);
  const text = isSpoken(session.profile)
    ? spokenSearch(answer, dispatcher.catalogue, tellingOf(session))
    : JSON.stringify(answer);
  return { content: [{ type: 'text', text }], structuredContent: answer };
}

/** Reads with the caller's own rights. */
function readsOf({ dispatcher, caller, via, profile, requestId }: Session): Read {
  return async (operation, args) =>
    (await dispatcher.dispatch({ operation, args, caller, via, profile, requestId })).body;
}

/** The call's own key, or that of the request, for clients that send it as a header over each door. */
function keyOf(meta: Record<string, unknown>, ofRequest: string | undefined): string | undefined {
  const own = textOf(meta, 'idempotencyKey');
  if (own === undefined || ofRequest === undefined || own === ofRequest) return own ?? ofRequest;
  const message = 'differs from the header Idempotency-Key; send one key';
  throw invalidInput([{ field: '_meta.idempotencyKey', code: 'key_mismatch', message }]);
}

function textOf(meta: Record<string, unknown>, field: string): string | undefined {
  const value = meta[field];
  if (value === undefined || typeof value === 'string') return value;
  throw invalidInput([
    { field: `_meta.${field}`, code: 'invalid_type', message: 'must be a string', expected: 'string' },
  ]);
}

/** Goes no deeper than the bound itself, so that what is too deep cannot exhaust the stack. */
function assertShallow(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) {
    const message = `must not be nested deeper than ${MAX_DEPTH} levels`;
    throw invalidInput([{ field: 'arguments', code: 'too_deep', message, max: MAX_DEPTH }]);
  }
  for (const inner of Object.values(value)) assertShallow(inner, depth + 1);
}
