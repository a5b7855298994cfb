/**
 * Checks the frame of a message before an SDK sees it. The SDKs check the same, but refuse in the words of their schema library, or refuse
 * silently when they do not take a message for one.
 */
import { AppError, invalidInput, type FieldIssue } from '../domain/base/errors.ts';
import { assertBounded } from '../toolkit/input/json-bounds.ts';
import { RPC_INVALID_PARAMS, RPC_INVALID_REQUEST, statesRevision, type RequestId } from './rpc.ts';

export interface Fault {
  /** The id of the request that is answered; null where it is not known. */
  id: RequestId | null;
  rpcCode: number;
  error: AppError;
}

type Fields = Record<string, unknown>;

const MAX_BATCH = 100;
/** The bounds of a batch of full calls, each within its own bounds. The frame of a call has three levels of its own. */
export const FRAME_BOUNDS = { depth: 64, values: 20_000 };
/** No name and no URI of ours is as long. Refusals repeat the name. */
const MAX_NAME = 1000;

/** A null where a member may be left out says the same as its absence; clients of some languages write each member. */
export function withoutNulls(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutNulls);
  if (!isObject(body)) return body;
  const { params, ...message } = body;
  if (params === null) return message;
  if (!isObject(params)) return body;
  const kept = Object.entries(params).filter(([name, value]) => value !== null || !LEFT_OUT.includes(name));
  return { ...message, params: Object.fromEntries(kept) };
}
const LEFT_OUT = ['arguments', '_meta', 'cursor'];

/** The first fault of a POST. One wrong message refuses a batch, because nobody knows whether its sender still means the others. */
export function faultOfBody(body: unknown): Fault | undefined {
  if (!Array.isArray(body)) return faultOf(body);
  if (body.length === 0 || body.length > MAX_BATCH) {
    const detail = `A batch may hold 1 to ${MAX_BATCH} messages, not ${body.length}.`;
    return { id: null, rpcCode: RPC_INVALID_REQUEST, error: new AppError('invalid_input', detail) };
  }
  for (const [index, message] of body.entries()) {
    const fault = faultOf(message, `${index}.`);
    if (fault !== undefined) return { ...fault, id: null };
  }
  return undefined;
}

/** The fault of an Idempotency-Key in a header of several calls: it is the key of one call. */
export function faultOfKey(calls: number): Fault | undefined {
  if (calls < 2) return undefined;
  const message = `is that of one call, and this batch has ${calls}; give each its own as _meta.idempotencyKey`;
  const error = invalidInput([{ field: 'Idempotency-Key', code: 'too_many', message, max: 1 }]);
  return { id: null, rpcCode: RPC_INVALID_REQUEST, error };
}

/** The fault of a message that holds more values than a call can, which nobody could pass on. */
export function overflowFaultOf(line: string, { id = null }: { id?: RequestId | null }): Fault | undefined {
  try {
    assertBounded(line, 'message', FRAME_BOUNDS);
    return undefined;
  } catch (error) {
    return { id, rpcCode: RPC_INVALID_PARAMS, error: error as AppError };
  }
}

/** The fault of one message. `within` stands before the names of fields. */
export function faultOf(message: unknown, within = ''): Fault | undefined {
  const fields = isObject(message) ? message : {};
  const id = isRequestId(fields['id']) ? fields['id'] : null;
  const faultBy = (rpcCode: number, { field, ...issue }: FieldIssue): Fault => ({
    id,
    rpcCode,
    error: invalidInput([{ field: `${within}${field}`, ...issue }]),
  });
  const outer = envelopeIssue(fields);
  if (outer !== undefined) return faultBy(RPC_INVALID_REQUEST, outer);
  const inner = paramsIssue(fields);
  return inner && faultBy(RPC_INVALID_PARAMS, inner);
}

/** JSON-RPC 2.0 §4, with the ids that MCP allows. */
function envelopeIssue(message: Fields): FieldIssue | undefined {
  const { jsonrpc, id, method } = message;
  if (jsonrpc !== '2.0') return wrong('jsonrpc', jsonrpc, 'must be "2.0", in a message that is one JSON object');
  if (id !== undefined && !isRequestId(id)) return wrong('id', id, 'must be a text or a whole number');
  const isAnswer = method === undefined && ('result' in message || 'error' in message);
  if (isAnswer || typeof method === 'string') return undefined;
  return wrong('method', method, 'must be a text, such as tools/call');
}

function paramsIssue({ id, method, params }: Fields): FieldIssue | undefined {
  if (params !== undefined && !isObject(params)) return wrong('params', params, 'must be an object');
  const { _meta: meta, name, arguments: args } = params ?? {};
  if (meta !== undefined && !isObject(meta)) return wrong('_meta', meta, 'must be an object');
  const token = meta?.['progressToken'];
  if (token !== undefined && !isRequestId(token))
    return wrong('_meta.progressToken', token, 'must be a text or a whole number');
  // The newer generation has no greeting, and its session refuses this method.
  if (method === 'initialize' && !statesRevision({ params: params ?? null })) return greetingIssue(params ?? {});
  const longField = ['name', 'uri'].find((field) => isLong(params?.[field]));
  if (longField !== undefined)
    return { field: longField, code: 'too_long', message: `must be at most ${MAX_NAME} characters`, max: MAX_NAME };
  if (method !== 'tools/call' || id === undefined) return undefined;
  if (typeof name !== 'string') return wrong('name', name, 'must be a text, the name of a tool, such as search_tools');
  if (args === undefined || isObject(args)) return undefined;
  return wrong('arguments', args, 'must be an object, the arguments of the tool by their names; {} for none');
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' && value.length > MAX_NAME;
}

function greetingIssue({ protocolVersion, capabilities, clientInfo }: Fields): FieldIssue | undefined {
  if (typeof protocolVersion !== 'string') return wrong('protocolVersion', protocolVersion, 'must be a text');
  if (!isObject(capabilities)) return wrong('capabilities', capabilities, 'must be an object; {} for none');
  const { name, version } = isObject(clientInfo) ? clientInfo : {};
  if (typeof name === 'string' && typeof version === 'string') return undefined;
  return wrong('clientInfo', clientInfo, 'must be an object with the texts name and version');
}

function wrong(field: string, value: unknown, message: string): FieldIssue {
  return { field, code: value === undefined ? 'required' : 'invalid_type', message };
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
