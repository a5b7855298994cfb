/** One tools/call, from any transport: the meta-tools here, everything else through dispatch. Never throws. */
import { AppError, invalidInput } from '../../domain/base/errors.ts';
import { profiles } from '../../profiles/profiles.ts';
import { refusalOf } from '../../toolkit/access.ts';
import type { Reply } from '../../toolkit/call.ts';
import { parseInput } from '../../toolkit/input/input.ts';
import type { Preview } from '../../toolkit/preview/preview.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { withIds } from '../../toolkit/input/named-ids.ts';
import { readsOf } from '../../toolkit/input/reads.ts';
import { answerSearch } from '../search/search-answer.ts';
import { spokenSearch, streamNamesFor, type AnswerContext } from '../voice/speech.ts';
import type { SpeechContext } from '../voice/spoken-text.ts';
import { withoutAbsent } from './absent.ts';
import { confirmationRequired, isUnconfirmed, withConfirmation, type Confirmable } from './confirmation.ts';
import { callTaken, withCorrection } from './corrections.ts';
import { CALL_TOOL, parseInnerCall, SEARCH_TOOLS, searchInput, type Taken } from './meta-tools.ts';
import { meantCall, refuseCall } from './refused-calls.ts';
import { toErrorResult, toResult, type ToolResult } from './results.ts';
import type { Session, ToolCall } from './session.ts';

/** No schema of ours is nearly as deep: this bounds the recursion over what a caller sends. */
const MAX_DEPTH = 32;

/** A call whose frame and wrapping have been read. */
interface ParsedCall extends Confirmable {
  idempotencyKey: string | undefined;
  ifMatch: string | undefined;
  /** True: the stdio process sent it before, and the answer to the first sending was lost on the way. */
  isResent: boolean;
}

export async function runToolCall(session: Session, call: ToolCall): Promise<ToolResult> {
  try {
    const parsed = await parseCall(session, call);
    return await runTool(session, call, parsed).catch(async (refusal: unknown) => {
      throw withCorrection(await withIds(refusal, parsed, readsOf(session)), parsed, session);
    });
  } catch (error) {
    if (!(error instanceof AppError))
      session.log?.error({ err: error, requestId: session.requestId }, 'tool call failed');
    return toErrorResult(error, session.requestId, session.profile.spoken ? speechContext(session) : undefined);
  }
}

/** A call that cannot be read is refused as dispatch would refuse it, under the name of the operation that was meant. */
async function parseCall(session: Session, call: ToolCall): Promise<ParsedCall> {
  try {
    return readCall(call, session);
  } catch (error) {
    throw await refuseCall(session, meantCall(call.name, call.args), error);
  }
}

function readCall({ meta, ...call }: ToolCall, { idempotencyKey: keyOfRequest, dispatcher }: Session): ParsedCall {
  const taken: Taken = (operationId, inner) => callTaken(inner, [operationId], dispatcher.catalogue)?.args;
  const isInner = call.name === CALL_TOOL;
  const inner = isInner ? parseInnerCall(call.args, taken) : { ...call, preview: false, confirmed: false };
  const { name, preview, confirmed } = inner;
  if (name === CALL_TOOL) {
    throw new AppError('unknown_operation', 'call_tool does not call itself. Name the operation to run.');
  }
  assertShallow(inner.args);
  const schema = name === SEARCH_TOOLS ? searchInput : dispatcher.catalogue.find(name)?.input;
  const args = schema === undefined ? inner.args : withoutAbsent(schema, inner.args);
  const [idempotencyKey, ifMatch] = [keyOf(meta, keyOfRequest), textOf(meta, 'ifMatch')];
  return { name, args, isInner, preview, confirmed, idempotencyKey, ifMatch, isResent: meta['resent'] === true };
}

async function runTool(session: Session, { signal, progress }: ToolCall, parsed: ParsedCall): Promise<ToolResult> {
  const { dispatcher, caller, profile, requestId, via } = session;
  const tool = dispatcher.catalogue.find(parsed.name);
  const call = withConfirmation(parsed, tool);
  const { name, args, idempotencyKey, ifMatch } = call;
  const needsConfirmation = isUnconfirmed(call, tool, profile);
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
    preview: call.preview || needsConfirmation,
  });
  if (needsConfirmation) throw confirmationRequired(call, reply.body as Preview, reply.names);
  const speech = profile.spoken ? await answerContext(session, reply, args) : undefined;
  return toResult(reply, { speech, isResent: call.isResent });
}

function searchTools(session: Session, args: Record<string, unknown>): ToolResult {
  const { search, surface, dispatcher, profile, caller } = session;
  const refusal = (tool: Tool): string | undefined => refusalOf(tool, profile, caller, profiles)?.message;
  const answer = answerSearch(search, parseInput(searchInput, args), (tool) => surface.allows(tool), refusal);
  const text = profile.spoken
    ? spokenSearch(answer, dispatcher.catalogue, speechContext(session))
    : JSON.stringify(answer);
  return { content: [{ type: 'text', text }], structuredContent: answer };
}

function speechContext({ dispatcher }: Session): SpeechContext {
  return { zone: dispatcher.timezone, nowMs: dispatcher.clock.now() };
}

async function answerContext(
  session: Session,
  { body, names }: Reply,
  args: Record<string, unknown>,
): Promise<AnswerContext> {
  // A token may be limited to operations without this list.
  const canRead = session.surface.allows(session.dispatcher.catalogue.get('getAllLivestreams'));
  const streamNames = canRead ? await streamNamesFor(body, readsOf(session)) : new Map<number, string>();
  return { ...speechContext(session), names, args, streamNames };
}

/** The call's own key, or that of the request: a client may send it as a header to each api. */
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

/** Goes no deeper than the bound itself, so that a value which is too deep cannot exhaust the stack. */
function assertShallow(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) {
    const message = `must not be nested deeper than ${MAX_DEPTH} levels`;
    throw invalidInput([{ field: 'arguments', code: 'too_deep', message, max: MAX_DEPTH }]);
  }
  for (const inner of Object.values(value)) assertShallow(inner, depth + 1);
}
