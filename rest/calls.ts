/** One REST call from its request to its answer: route, caller, input, dispatch, reply. */
import { performance } from 'node:perf_hooks';
import { bearerOf, type Auth } from '../auth/auth.ts';
import { AppError } from '../domain/errors.ts';
import type { Caller } from '../domain/security.ts';
import { isMutating, roleAllows, type Profile } from '../toolkit/access.ts';
import type { Call, Dispatcher, Reply } from '../toolkit/dispatch.ts';
import type { Log, Tool, Upload } from '../toolkit/tool.ts';
import { assertNoBody, readJsonObject } from './body.ts';
import { createDecoder, decodeForm, decodePath, decodeQuery, joinBody, type Decoder } from './decode.ts';
import { fileReply, prefersJson } from './files.ts';
import { takesForm } from './media.ts';
import type { Meters, OperationMeter } from './metrics.ts';
import { jsonReply, problemReply, requestIdOf, type HeaderFields } from './replies.ts';
import { createRoutes, PREFIX } from './routes.ts';
import { receiveForm, type ReceivedForm, type UploadLimits } from './upload.ts';

export interface CallParts {
  dispatcher: Dispatcher;
  auth: Auth;
  /** What the calls are dispatched under. */
  profile: Profile;
  log: Log;
  meters: Meters;
  uploadDir: string;
  upload: UploadLimits;
  bodyTimeoutMs: number;
}

interface Operation {
  tool: Tool;
  decoder: Decoder;
  form: boolean;
  mutating: boolean;
  meter: OperationMeter;
}

interface Input {
  args: Record<string, unknown>;
  form?: ReceivedForm;
}

/** Never rejects: whatever goes wrong is answered as a problem. */
export function createCalls(parts: CallParts): (request: Request) => Promise<Response> {
  const { dispatcher, auth, profile, log, meters } = parts;
  const unrouted = meters.meter('unknown');
  const routes = createRoutes<Operation>(dispatcher.catalogue.operations, (tool, route) => ({
    tool,
    decoder: createDecoder(tool, route),
    form: takesForm(tool),
    mutating: isMutating(tool),
    meter: meters.meter(tool.name),
  }));

  async function call(
    request: Request,
    operation: Operation,
    values: string[],
    search: string,
    requestId: string,
  ): Promise<Response> {
    const { headers } = request;
    const caller = await auth.authenticate(bearerOf(headers.get('authorization')));
    const { args, form } = await inputOf(request, operation, values, search, caller);
    try {
      const sent = new RestCall(request, operation, args, { caller, profile, requestId, upload: form?.upload });
      const reply = await dispatcher.dispatch(sent);
      return await answer(request, reply, requestId);
    } finally {
      await form?.dispose();
    }
  }

  async function inputOf(
    request: Request,
    operation: Operation,
    values: string[],
    search: string,
    caller: Caller,
  ): Promise<Input> {
    const { decoder, tool, form } = operation;
    const path = decodePath(decoder, values);
    const query = search === '' ? undefined : decodeQuery(decoder, search);
    if (!decoder.takesBody) {
      assertNoBody(request.headers);
      return { args: query === undefined ? path : { ...query, ...path } };
    }
    if (!form || !/^multipart\/form-data *;/iu.test(request.headers.get('content-type') ?? '')) {
      return { args: joinBody(path, await readJsonObject(request, parts.bodyTimeoutMs)) };
    }
    // dispatch refuses such a call whatever its content is: gigabytes need not be received for that.
    if (!profile.allows(tool) || !roleAllows(caller.role, tool)) return { args: path };
    const received = await receiveForm(request, parts.uploadDir, parts.upload);
    return { args: joinBody(path, formArgs(operation, received)), form: received };
  }

  return async (request) => {
    const startedMs = performance.now();
    const requestId = requestIdOf(request);
    let meter = unrouted;
    let outcome = 'ok';
    try {
      const { path, search } = splitUrl(request.url);
      const { target, values } = routes.match(request.method, path);
      meter = target.meter;
      return await call(request, target, values, search, requestId);
    } catch (error) {
      outcome = error instanceof AppError ? error.code : 'internal';
      if (!(error instanceof AppError)) log.error({ err: error, requestId }, 'REST call failed outside dispatch');
      return problemReply(error, requestId, allowHeader(error));
    } finally {
      meter.record(outcome, (performance.now() - startedMs) / 1000);
    }
  };
}

/** A class, because a literal with a getter is ten times slower to make. */
class RestCall implements Call {
  readonly operation: string;
  readonly args: unknown;
  readonly caller: Caller;
  readonly via = 'rest';
  readonly profile: Profile;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  readonly ifMatch: string | undefined;
  readonly upload: Upload | undefined;
  readonly #request: Request;

  constructor(
    request: Request,
    operation: Operation,
    args: unknown,
    rest: Pick<Call, 'caller' | 'profile' | 'requestId' | 'upload'>,
  ) {
    const { headers } = request;
    this.operation = operation.tool.name;
    this.args = args;
    this.caller = rest.caller;
    this.profile = rest.profile;
    this.requestId = rest.requestId;
    this.upload = rest.upload;
    this.idempotencyKey = operation.mutating ? (headers.get('idempotency-key') ?? undefined) : undefined;
    this.ifMatch = operation.mutating ? (headers.get('if-match') ?? undefined) : undefined;
    this.#request = request;
  }

  /** Made when an operation asks for it: most end before a caller could have gone. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

async function answer(request: Request, reply: Reply, requestId: string): Promise<Response> {
  if (reply.file !== undefined && !prefersJson(request.headers.get('accept'), reply.file.contentType)) {
    return fileReply(request, reply.file, requestId);
  }
  const extra: HeaderFields = {};
  if (reply.etag !== undefined) extra['ETag'] = reply.etag;
  if (reply.replayed) extra['Idempotency-Replayed'] = 'true';
  return jsonReply(reply.status, reply.body, requestId, extra);
}

/** The file's own name stands in for the field `filename` of the operation, unless the form names another. */
function formArgs(operation: Operation, received: ReceivedForm): Record<string, unknown> {
  const args = decodeForm(operation.decoder, received.texts);
  return operation.decoder.fields.has('filename') ? { filename: received.upload.filename, ...args } : args;
}

/** Path after the prefix, still percent-encoded, and query, out of an absolute URL. */
function splitUrl(url: string): { path: string; search: string } {
  // `http://` and `https://` both end before the ninth character; the host follows.
  const pathStart = url.indexOf('/', 8);
  const query = url.indexOf('?', pathStart);
  const fragment = url.indexOf('#', pathStart);
  const end = fragment < 0 ? url.length : fragment;
  const path = url.slice(pathStart, query < 0 ? end : query);
  return {
    path: path.startsWith(PREFIX) ? path.slice(PREFIX.length) : '',
    search: query < 0 ? '' : url.slice(query + 1, end),
  };
}

/** RFC 9110 §10.2.1: which methods the path knows, for a method it does not. */
function allowHeader(error: unknown): HeaderFields | undefined {
  const methods = error instanceof AppError ? error.extras.facts?.['methods'] : undefined;
  return Array.isArray(methods) ? { Allow: methods.join(', ') } : undefined;
}
