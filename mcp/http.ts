/**
 * MCP over Streamable HTTP: both generations of the protocol on one URL. Each request states its generation and carries its bearer token;
 * cookies mean nothing here.
 */
import { bearerOf, type Auth } from '../auth/auth.ts';
import { AppError } from '../domain/base/errors.ts';
import type { Caller, TokenScope } from '../domain/shapes/installation/security.ts';
import type { Store } from '../domain/ports/store.ts';
import { intersectProfiles, profileByName } from '../profiles/profiles.ts';
import type { Profile } from '../toolkit/access.ts';
import type { Catalogue } from '../toolkit/catalogue.ts';
import type { Dispatcher } from '../toolkit/dispatch.ts';
import { createKnownHosts, type KnownHosts } from '../toolkit/input/known-hosts.ts';
import type { Log } from '../domain/base/log.ts';
import { viaOf } from '../toolkit/via.ts';
import { runToolCall } from './calls/call.ts';
import { assertScope, challengeHeaders } from './challenge.ts';
import type { Connection } from './calls/connection.ts';
import { createGenerations, type Generations } from './protocol/generations.ts';
import { refuse, refuseFrame, requestIdOf } from './protocol/http-guard.ts';
import { callKey, createInFlight, type InFlight } from './calls/in-flight.ts';
import { instructionsFor } from './calls/instructions.ts';
import { readPost, type Post, type PostBounds } from './protocol/post-body.ts';
import { meantCalls, refuseCalls } from './calls/refused-calls.ts';
import { readResource } from './calls/resources.ts';
import type { Sender, Session } from './calls/session.ts';
import { messagesOf, SESSION_HEADER, type ErrorMessage, type RequestId } from './rpc.ts';
import { createToolSearch, type ToolSearch } from './search/search.ts';
import { buildSurface, type Surface } from './calls/surface.ts';

/** The header in which a client names a profile that allows less than that of its server. */
const PROFILE_HEADER = 'x-onair-profile';

export interface McpHttpDeps {
  dispatcher: Dispatcher;
  auth: Auth;
  profile: Profile;
  version: string;
  /** Servers that share a store pass cancellations on by it; left out: this one is alone. */
  notices?: Pick<Store, 'notify' | 'onNotice'>;
  /** The document that the REST api serves. */
  openApi: () => string;
  /** The names by which the server is reached; left out: the loopback ones. */
  hosts?: KnownHosts;
  /** Default: an Asset of 8 MB in base64 with its frame. */
  maxBodyBytes?: number;
  /** Default: two minutes. */
  bodyTimeoutMs?: number;
  log?: Log;
}

const MAX_BODY_BYTES = 12 * 1024 ** 2;
/** 12 MB take two minutes at 0.8 Mbit/s. A slower sender holds a connection for nothing. */
const BODY_TIMEOUT_MS = 120_000;

/** Everything that is the same for all callers of one profile, role and scope. */
interface Offer {
  surface: Surface;
  instructions: string;
}

interface Shared extends Omit<McpHttpDeps, 'hosts'>, PostBounds {
  maxBodyBytes: number;
  bodyTimeoutMs: number;
  search: ToolSearch;
  inFlight: InFlight;
  generations: Generations;
  offerTo(profile: Profile, caller: Caller): Offer;
}

export interface McpApi {
  /** `metadataUrl` is what a refused client is told of OAuth; left out: there is none for it. */
  answer(request: Request, metadataUrl?: string): Promise<Response>;
}

export function createMcpApi(deps: McpHttpDeps): McpApi {
  const { catalogue } = deps.dispatcher;
  const shared: Shared = {
    ...deps,
    maxBodyBytes: deps.maxBodyBytes ?? MAX_BODY_BYTES,
    bodyTimeoutMs: deps.bodyTimeoutMs ?? BODY_TIMEOUT_MS,
    hosts: deps.hosts ?? createKnownHosts([]),
    search: createToolSearch([...catalogue.operations, ...catalogue.workflows]),
    inFlight: createInFlight(deps.notices, deps.log),
    generations: createGenerations(deps.log),
    offerTo: rememberOffers(catalogue, deps.dispatcher.timezone),
  };
  return { answer: (request, metadataUrl) => answerRequest(shared, request, metadataUrl) };
}

async function answerRequest(shared: Shared, request: Request, metadataUrl: string | undefined): Promise<Response> {
  const { headers } = request;
  const requestId = requestIdOf(headers);
  const bearer = bearerOf(headers.get('authorization'));
  try {
    const origin = { via: viaOf(headers, 'mcp'), requestId, resource: 'mcp' } as const;
    const caller = await shared.auth.authenticate(bearer, origin);
    const via = caller.client === undefined ? origin.via : 'oauth';
    if (request.method === 'POST') return await answerPost(shared, { request, headers, caller, via, requestId });
    shared.hosts.assertKnown(headers, request.url);
    return notAllowed(requestId);
  } catch (error) {
    if (!(error instanceof AppError)) shared.log?.error({ err: error, requestId }, 'MCP request failed');
    return refuse(error, requestId, { headers: challengeHeaders(error, metadataUrl, bearer !== undefined) });
  }
}

interface Arrival extends Sender {
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
  return response.status < 400 ? response : auditRefusal(shared, arrival, post, response);
}

/** Rejects with AppError for a profile that does not exist. */
async function handOver(shared: Shared, arrival: Arrival, post: Post): Promise<Response> {
  const { request, requestId, headers: sent, caller } = arrival;
  const { body, idempotencyKey } = post;
  assertScope(shared.dispatcher, namedProfile(shared.profile, sent), caller, meantCalls(body));
  const newer = await shared.generations.newer(request, body);
  if (newer !== undefined) {
    const connection = connect(shared, arrival, { idempotencyKey, sessionId: null });
    const response = await newer.answerPost(connection, request, body);
    response.headers.set('X-Request-Id', requestId);
    return response;
  }
  const sessionId = request.headers.get(SESSION_HEADER);
  const isGreeting = messagesOf(body).some(({ method }) => method === 'initialize');
  const headers = { 'X-Request-Id': requestId, ...(isGreeting && { [SESSION_HEADER]: crypto.randomUUID() }) };
  const connection = connect(shared, arrival, { idempotencyKey, sessionId });
  const older = await shared.generations.older();
  return older.answerPost(connection, request, body, headers);
}

/** A status of 400 or more refuses a POST as a whole: the calls in it were not made, and each is counted and audited as refused. */
async function auditRefusal(shared: Shared, arrival: Arrival, { body }: Post, response: Response): Promise<Response> {
  const calls = meantCalls(body);
  if (calls.length === 0) return response;
  const { error } = (await response.clone().json()) as ErrorMessage;
  const refusal = new AppError(error.data.code, error.data.detail);
  const answer = await refuseCalls({ ...shared, ...arrival }, calls, refusal);
  return answer === refusal ? response : refuse(answer, arrival.requestId);
}

interface Ids {
  idempotencyKey: string | undefined;
  /** In the older generation a cancellation is a POST of its own, which finds its call by the session that both name. */
  sessionId: string | null;
}

function connect(shared: Shared, sender: Sender, { idempotencyKey, sessionId }: Ids): Connection {
  const { dispatcher, search, inFlight, version, openApi, log } = shared;
  const { headers, caller, via, requestId } = sender;
  const profile = profileOf(namedProfile(shared.profile, headers), caller);
  const { surface, instructions } = shared.offerTo(profile, caller);
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

/** Header and token name profiles alike: each narrows what the server offers, and brings its own instructions and its own way to answer. */
function profileOf(named: Profile, { scope }: Caller): Profile {
  const own = scope?.profile ?? null;
  return own === null ? named : intersectProfiles(named, profileByName(own));
}

/** Throws AppError for a profile that does not exist. */
function namedProfile(server: Profile, headers: Headers): Profile {
  const name = headers.get(PROFILE_HEADER);
  return name === null ? server : intersectProfiles(server, profileByName(name));
}

function rememberOffers(catalogue: Catalogue, timezone: string): Shared['offerTo'] {
  const unlimited = new Map<string, Offer>();
  // A caller is remembered with its token, and so are its offers with its scope.
  const limited = new WeakMap<TokenScope, Map<string, Offer>>();
  return (profile, { role, scope }) => {
    let known = scope === undefined ? unlimited : limited.get(scope);
    if (known === undefined) limited.set(scope!, (known = new Map<string, Offer>()));
    const key = `${role} ${profile.name}`;
    let offer = known.get(key);
    if (offer === undefined) {
      const surface = buildSurface(catalogue, profile, role, scope);
      offer = { surface, instructions: instructionsFor(profile, timezone) };
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
