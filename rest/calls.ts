/** Takes one REST call from its request to its answer: route, caller, input, dispatch, reply. */
import { performance } from 'node:perf_hooks';
import { bearerOf, type Auth } from '../auth/auth.ts';
import { AppError } from '../domain/base/errors.ts';
import type { Log } from '../domain/base/log.ts';
import type { Caller, Via } from '../domain/shapes/installation/security.ts';
import { profiles } from '../profiles/profiles.ts';
import { isMutating, mayCall, type Profile } from '../toolkit/access.ts';
import type { Call, Reply } from '../toolkit/call.ts';
import type { Dispatcher } from '../toolkit/dispatch.ts';
import { isWorkflow, type Tool, type Upload } from '../toolkit/tool.ts';
import { viaOf } from '../toolkit/via.ts';
import { assertNoBody, readJsonObject } from './body.ts';
import { createDecoder, decodeForm, decodePath, decodeQuery, joinBody, type Decoder } from './decode.ts';
import { fileReply, madeReply, prefersJson } from './files.ts';
import { largestFileOf, takesForm } from './media.ts';
import { allowReply } from './methods.ts';
import type { Meters, OperationMeter } from './metrics/metrics.ts';
import { withNames, withNamesInPath } from './named-ids.ts';
import { answerWithProgress, wantsProgress, type Report } from './progress.ts';
import { jsonReply, problemReply, requestIdOf, type HeaderFields } from './replies.ts';
import { createRoutes, PREFIX, type Routes, type RouteTarget } from './routes.ts';
import type { SessionAuth } from './sign-in/session-cookie.ts';
import { receiveForm, type ReceivedForm, type UploadLimits } from './upload.ts';

export interface CallDeps {
  dispatcher: Dispatcher;
  auth: Auth;
  /** Authenticates callers who bring no token. */
  sessionAuth: Pick<SessionAuth, 'callerOf' | 'assertIntended'>;
  /** The profile that the calls are dispatched under. */
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
  workflow: boolean;
  meter: OperationMeter;
}

/** A request whose operation is known. */
interface Arrival {
  request: Request;
  operation: Operation;
  requestId: string;
  /** Present for a caller who wants to be told how far a call is that takes its time. */
  report: Report | undefined;
}

/** The content of a request for its operation. */
interface Received {
  args: Record<string, unknown>;
  form?: ReceivedForm;
}

/** Never rejects: whatever goes wrong is answered as a problem. */
export function createCalls(deps: CallDeps): (request: Request) => Promise<Response> {
  const { dispatcher, profile, log, meters } = deps;
  const unrouted = meters.meter('unknown');
  const { operations, workflows } = dispatcher.catalogue;
  const routes = createRoutes<Operation>([...operations, ...workflows], (tool, route) => ({
    tool,
    decoder: createDecoder(tool, route),
    form: takesForm(tool),
    mutating: isMutating(tool),
    workflow: isWorkflow(tool),
    meter: meters.meter(tool.name),
  }));

  async function call(arrival: Arrival, values: string[], search: string): Promise<Response> {
    const caller = await callerOf(deps, arrival);
    let path: Received['args'] = {};
    let received: Received;
    try {
      path = decodePath(arrival.operation.decoder, values);
      received = await receive(deps, arrival, caller, path, search);
    } catch (error) {
      throw await dispatcher.refuse(new RestCall(arrival, caller, profile, path), error);
    }
    const { args, form } = received;
    if (form === undefined) return dispatch(new RestCall(arrival, caller, profile, args));
    try {
      // Gigabytes take hours: a caller who has lost the right meanwhile has lost it for this call too.
      const present = await callerOf(deps, arrival);
      return await dispatch(new RestCall(arrival, present, profile, args, form.upload));
    } finally {
      await form.dispose();
    }
  }

  async function dispatch(restCall: RestCall): Promise<Response> {
    const reply = await dispatcher.dispatch(restCall).catch(async (error: unknown) => {
      throw await withNames(deps, error, restCall);
    });
    const { request, requestId, operation } = restCall.arrival;
    if (operation.workflow) return jsonReply(reply.status, { data: reply.body }, requestId, replyHeaders(reply));
    if (reply.file === undefined || prefersJson(request.headers.get('accept'), reply.file.contentType)) {
      return jsonReply(reply.status, reply.body, requestId, replyHeaders(reply));
    }
    if ('content' in reply.file) return madeReply(request, reply.file, requestId);
    return fileReply(request, reply.file, requestId, reply.etag);
  }

  async function answer(request: Request, requestId: string, report: Report | undefined): Promise<Response> {
    const startedMs = performance.now();
    let meter = unrouted;
    let outcome = 'ok';
    try {
      const { path, search } = splitUrl(request.url);
      const known = request.method === 'OPTIONS' ? routes.methodsAt(path) : [];
      if (known.length > 0) return allowReply(known, requestId);
      const { target, values } = await routed(deps, routes, { request, requestId }, path);
      meter = target.meter;
      return await call({ request, operation: target, requestId, report }, values, search);
    } catch (error) {
      outcome = error instanceof AppError ? error.code : 'internal';
      if (!(error instanceof AppError)) log.error({ err: error, requestId }, 'REST call failed outside dispatch');
      return problemReply(error, requestId);
    } finally {
      meter.record(outcome, (performance.now() - startedMs) / 1000);
    }
  }

  return (request) => {
    const requestId = requestIdOf(request);
    return request.method === 'POST' && wantsProgress(request)
      ? answerWithProgress(requestId, (report) => answer(request, requestId, report))
      : answer(request, requestId, undefined);
  };
}

type Sending = Pick<Arrival, 'request' | 'requestId'>;

function callerOf({ auth, sessionAuth }: CallDeps, { request, requestId }: Sending): Promise<Caller> {
  const bearer = bearerOf(request.headers.get('authorization'));
  if (bearer === undefined) return sessionAuth.callerOf(request);
  return auth.authenticate(bearer, { via: viaOf(request.headers, 'rest'), requestId });
}

/** The operation of a path. Rejects with the refusal of another path, which names rows to a caller who is known. */
async function routed(
  deps: CallDeps,
  routes: Routes<Operation>,
  sending: Sending,
  path: string,
): Promise<RouteTarget<Operation>> {
  const { method } = sending.request;
  try {
    return routes.match(method, path);
  } catch (error) {
    const meant = routes.meant(method, path);
    if (meant === undefined || !(error instanceof AppError)) throw error;
    const caller = await callerOf(deps, sending).catch(() => undefined);
    if (caller === undefined) throw error;
    throw await withNamesInPath(deps, error, meant, { caller, requestId: sending.requestId });
  }
}

/** Throws AppError for input that the operation does not take; no received file is left then. */
async function receive(
  { sessionAuth, profile, bodyTimeoutMs, uploadDir, upload }: CallDeps,
  { request, operation }: Arrival,
  caller: Caller,
  path: Received['args'],
  search: string,
): Promise<Received> {
  const { headers } = request;
  const { decoder } = operation;
  if (operation.mutating) sessionAuth.assertIntended(headers, caller);
  const query = search === '' ? undefined : decodeQuery(decoder, search);
  if (!decoder.takesBody) {
    assertNoBody(headers);
    return { args: query === undefined ? path : { ...query, ...path } };
  }
  if (!operation.form || !isForm(headers))
    return { args: joinBody(path, await readJsonObject(request, bodyTimeoutMs)) };
  // dispatch refuses such a call whatever its content is: gigabytes need not be received for that.
  if (!mayCall(operation.tool, profile, caller, profiles)) return { args: path };
  const maxBytes = largestFileOf(operation.tool, upload.maxBytes);
  const form = await receiveForm(request, uploadDir, { ...upload, maxBytes });
  return { args: { ...formArgs(operation, form), ...path }, form };
}

/** It is a class because every literal with a getter would bring a hidden class of its own, which the collector then has to find. */
class RestCall implements Call {
  readonly operation: string;
  readonly via: Via = 'rest';
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  readonly ifMatch: string | undefined;
  readonly arrival: Arrival;
  readonly caller: Caller;
  readonly profile: Profile;
  readonly args: unknown;
  readonly upload: Upload | undefined;
  readonly progress: Report | undefined;

  constructor(arrival: Arrival, caller: Caller, profile: Profile, args: unknown, upload?: Upload) {
    const { operation, request, requestId, report } = arrival;
    this.arrival = arrival;
    this.caller = caller;
    this.profile = profile;
    this.args = args;
    this.upload = upload;
    this.progress = report;
    this.operation = operation.tool.name;
    this.requestId = requestId;
    if (!operation.mutating) return;
    this.via = caller.tokenKid === null ? 'ui' : viaOf(request.headers, 'rest');
    this.idempotencyKey = request.headers.get('idempotency-key') ?? undefined;
    this.ifMatch = request.headers.get('if-match') ?? undefined;
  }

  /** It is a getter because Request makes its signal when it is first read, and most operations end before a caller could have gone. */
  get signal(): AbortSignal {
    return this.arrival.request.signal;
  }
}

function replyHeaders(reply: Reply): HeaderFields | undefined {
  if (reply.etag === undefined && !reply.replayed && reply.asOf === undefined) return undefined;
  const headers: HeaderFields = {};
  if (reply.etag !== undefined) headers['ETag'] = reply.etag;
  if (reply.replayed) headers['Idempotency-Replayed'] = 'true';
  if (reply.asOf !== undefined) headers['X-Onair-As-Of'] = reply.asOf;
  return headers;
}

function isForm(headers: Headers): boolean {
  return /^multipart\/form-data *;/iu.test(headers.get('content-type') ?? '');
}

/** The file's own name is the field `filename` of the operation, unless the form names another. */
function formArgs(operation: Operation, received: ReceivedForm): Record<string, unknown> {
  const args = decodeForm(operation.decoder, received.texts);
  return operation.decoder.fields.has('filename') ? { filename: received.upload.filename, ...args } : args;
}

/** Answers the path after the prefix, still percent-encoded, and the query of an absolute URL. */
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
