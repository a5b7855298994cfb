/**
 * MCP over Streamable HTTP: both generations of the protocol on one URL, told apart by what each request says of itself. Every request
 * carries its bearer token; cookies mean nothing here. On the same URL `onair mcp` asks for a standing connection.
 */
import type { Server } from 'node:http';
import { bearerOf, type Auth } from '../auth/auth.ts';
import { AppError } from '../domain/errors.ts';
import type { Caller, Role, Via } from '../domain/security.ts';
import { intersectProfiles, profileByName } from '../profiles/profiles.ts';
import type { Profile } from '../toolkit/access.ts';
import type { Catalogue } from '../toolkit/catalogue.ts';
import type { Dispatcher } from '../toolkit/dispatch.ts';
import { createKnownHosts } from '../toolkit/input/known-hosts.ts';
import type { Log } from '../toolkit/tool.ts';
import { viaOf } from '../toolkit/via.ts';
import { runToolCall, type Session } from './calls/call.ts';
import type { Connection } from './calls/connection.ts';
import { createHandshakeServer, type HandshakeServer } from './protocol/protocol-2025.ts';
import { refuse, refuseFrame, requestIdOf } from './protocol/http-guard.ts';
import { createConnectionServer } from './uplink/connection-server.ts';
import { callKey, createInFlight, type InFlight } from './calls/in-flight.ts';
import { instructionsFor } from './calls/instructions.ts';
import { readPost, type Post, type PostBounds } from './protocol/post-body.ts';
import { meantCalls, refuseCalls } from './calls/refused-calls.ts';
import { readResource } from './calls/resources.ts';
import { messagesOf, type ErrorMessage, type RequestId } from './rpc.ts';
import { createToolSearch, type ToolSearch } from './search/search.ts';
import { createStatelessServer, type StatelessServer } from './protocol/protocol-2026.ts';
import { buildSurface, type Surface } from './calls/surface.ts';

/** A door that may do less than its server names its profile here. */
export const PROFILE_HEADER = 'x-onair-profile';
const SESSION_HEADER = 'mcp-session-id';

export interface McpHttpParts {
  dispatcher: Dispatcher;
  auth: Auth;
  profile: Profile;
  version: string;
  /** The document that the REST door serves. */
  openApi: () => string;
  /** Host names beside the loopback ones by which the server is reached. */
  allowedHosts?: readonly string[];
  /** Default: an Asset of 8 MB in base64 with its frame. */
  maxBodyBytes?: number;
  /** Default: two minutes. */
  bodyTimeoutMs?: number;
  log?: Log;
}

const MAX_BODY_BYTES = 12 * 1024 ** 2;
/** 12 MB take two minutes at 0.8 Mbit/s; whoever trickles longer holds a connection for nothing. */
const BODY_TIMEOUT_MS = 120_000;

/** What is the same for all callers of one profile and role. */
interface Offer {
  surface: Surface;
  instructions: string;
}

interface Shared extends McpHttpParts, PostBounds {
  maxBodyBytes: number;
  bodyTimeoutMs: number;
  search: ToolSearch;
  inFlight: InFlight;
  handshake: HandshakeServer;
  stateless: StatelessServer;
  offerTo(profile: Profile, role: Role): Offer;
}

export interface McpApi {
  answer(request: Request): Promise<Response>;
  /** Lets standing connections in, which a request cannot be told of once it is a Request. */
  listenOn(server: Server): void;
  /** Ends the standing connections when their calls are answered, at the latest after `withinMs`. */
  close(withinMs: number): void;
}

export function createMcpApi(parts: McpHttpParts): McpApi {
  const { catalogue } = parts.dispatcher;
  const shared: Shared = {
    ...parts,
    maxBodyBytes: parts.maxBodyBytes ?? MAX_BODY_BYTES,
    bodyTimeoutMs: parts.bodyTimeoutMs ?? BODY_TIMEOUT_MS,
    hosts: createKnownHosts(parts.allowedHosts ?? []),
    search: createToolSearch([...catalogue.operations, ...catalogue.workflows]),
    inFlight: createInFlight(),
    handshake: createHandshakeServer(),
    stateless: createStatelessServer(parts.log),
    offerTo: rememberOffers(catalogue, parts.dispatcher.timezone),
  };
  const lines = createConnectionServer({
    ...{ auth: parts.auth, hosts: shared.hosts, log: parts.log },
    connect: (visit) => connect(shared, visit, { idempotencyKey: undefined, sessionId: null }),
    refuse: (visit, calls, error) => refuseCalls({ ...shared, ...visit }, calls, error),
  });
  return { answer: (request) => answerRequest(shared, request), listenOn: lines.listenOn, close: lines.close };
}

async function answerRequest(shared: Shared, request: Request): Promise<Response> {
  const { headers } = request;
  const requestId = requestIdOf(headers);
  try {
    const via = viaOf(headers, 'mcp');
    const caller = await shared.auth.authenticate(bearerOf(headers.get('authorization')), { via, requestId });
    if (request.method === 'POST') return await answerPost(shared, { request, headers, caller, via, requestId });
    shared.hosts.assertKnown(headers, request.url);
    return notAllowed(requestId);
  } catch (error) {
    if (!(error instanceof AppError)) shared.log?.error({ err: error, requestId }, 'MCP request failed');
    return refuse(error, requestId);
  }
}

/** A request whose sender is known. */
export interface Visit {
  headers: Headers;
  caller: Caller;
  via: Via;
  requestId: string;
}

interface Arrival extends Visit {
  request: Request;
}

async function answerPost(shared: Shared, arrival: Arrival): Promise<Response> {
  const { requestId } = arrival;
  const post = await readPost(arrival.request, shared);
  if (post.fault !== undefined) {
    const error = await refuseCalls({ ...shared, ...arrival }, post.calls, post.fault.error);
    return error === post.fault.error ? refuseFrame(post.fault, requestId) : refuse(error, requestId);
  }
  const response = await handOver(shared, arrival, post).catch(async (error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    throw await refuseCalls({ ...shared, ...arrival }, meantCalls(post.body), error);
  });
  return response.status < 400 ? response : traced(shared, arrival, post, response);
}

/** Rejects with AppError for a profile that there is not. */
async function handOver(shared: Shared, arrival: Arrival, post: Post): Promise<Response> {
  const { request, requestId } = arrival;
  const { body, idempotencyKey } = post;
  if (await shared.stateless.isItsOwn(request, body)) {
    const connection = connect(shared, arrival, { idempotencyKey, sessionId: null });
    const response = await shared.stateless.answerPost(connection, request, body);
    response.headers.set('X-Request-Id', requestId);
    return response;
  }
  const sessionId = request.headers.get(SESSION_HEADER);
  const isGreeting = messagesOf(body).some(({ method }) => method === 'initialize');
  const headers = { 'X-Request-Id': requestId, ...(isGreeting && { [SESSION_HEADER]: crypto.randomUUID() }) };
  const connection = connect(shared, arrival, { idempotencyKey, sessionId });
  return shared.handshake.answerPost(connection, request, body, headers);
}

/** A lane says by the status that it refuses a POST as a whole: the calls in it were not made. */
async function traced(shared: Shared, arrival: Arrival, { body }: Post, response: Response): Promise<Response> {
  const calls = meantCalls(body);
  if (calls.length === 0) return response;
  const { error } = (await response.clone().json()) as ErrorMessage;
  const refusal = new AppError(error.data.code, error.data.detail);
  const told = await refuseCalls({ ...shared, ...arrival }, calls, refusal);
  return told === refusal ? response : refuse(told, arrival.requestId);
}

interface Ids {
  idempotencyKey: string | undefined;
  /** In the older generation a cancellation is a POST of its own, which finds its call by the session that both name. */
  sessionId: string | null;
}

function connect(shared: Shared, visit: Visit, { idempotencyKey, sessionId }: Ids): Connection {
  const { dispatcher, search, inFlight, version, openApi, log } = shared;
  const { headers, caller, via, requestId } = visit;
  const asked = headers.get(PROFILE_HEADER);
  const profile = asked === null ? shared.profile : intersectProfiles(shared.profile, profileByName(asked));
  const { surface, instructions } = shared.offerTo(profile, caller.role);
  const session: Session = { dispatcher, search, surface, profile, caller, requestId, via, idempotencyKey, log };
  const keyOf = (id: RequestId): string | undefined => callKey(caller, sessionId, id);
  return {
    version,
    instructions,
    requestId,
    log,
    surface: () => surface,
    call: (call, id) => inFlight.run(keyOf(id), call.signal, (signal) => runToolCall(session, { ...call, signal })),
    read: (uri) => readResource(session, uri, openApi),
    cancelled: (id) => inFlight.cancel(keyOf(id)),
  };
}

function rememberOffers(catalogue: Catalogue, timezone: string): Shared['offerTo'] {
  const known = new Map<string, Offer>();
  return (profile, role) => {
    const key = `${role} ${profile.name}`;
    let offer = known.get(key);
    if (offer === undefined) {
      offer = { surface: buildSurface(catalogue, profile, role), instructions: instructionsFor(profile, timezone) };
      known.set(key, offer);
    }
    return offer;
  };
}

function notAllowed(requestId: string): Response {
  const detail = 'MCP answers POST here: each call is one request, and nothing is pushed between them.';
  const error = new AppError('method_not_allowed', detail, { facts: { methods: ['POST'] } });
  return refuse(error, requestId, { headers: { Allow: 'POST' } });
}
