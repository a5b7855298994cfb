/**
 * MCP over Streamable HTTP: both generations of the protocol on one URL, told apart by what each request says of itself. Every request
 * carries its bearer token; cookies mean nothing here.
 */
import { bearerOf, type Auth } from '../auth/auth.ts';
import { AppError } from '../domain/errors.ts';
import type { Caller, Role } from '../domain/security.ts';
import { intersectProfiles, profileByName } from '../profiles/profiles.ts';
import type { Profile } from '../toolkit/access.ts';
import type { Dispatcher } from '../toolkit/dispatch.ts';
import type { Log } from '../toolkit/tool.ts';
import { viaOf } from '../toolkit/via.ts';
import { runToolCall, type Session } from './call.ts';
import type { Connection } from './connection.ts';
import { answerHandshakePost } from './handshake-lane.ts';
import { assertKnownHost, readBody, refuse, requestIdOf } from './http-guard.ts';
import { callKey, createInFlight, type InFlight } from './in-flight.ts';
import { instructionsFor } from './instructions.ts';
import { readResource } from './resources.ts';
import { messagesOf, RPC_INVALID_REQUEST, RPC_PARSE_ERROR } from './rpc.ts';
import { createToolSearch, type ToolSearch } from './search.ts';
import { createStatelessDoor, type StatelessDoor } from './stateless-lane.ts';
import { buildSurface, type Surface } from './surface.ts';

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
const MAX_BATCH = 100;

interface Shared extends McpHttpParts {
  hosts: ReadonlySet<string>;
  search: ToolSearch;
  inFlight: InFlight;
  stateless: StatelessDoor;
  surfaceOf(profile: Profile, role: Role): Surface;
}

export function handleMcp(parts: McpHttpParts): (request: Request) => Promise<Response> {
  const { catalogue } = parts.dispatcher;
  const shared: Shared = {
    ...parts,
    hosts: new Set((parts.allowedHosts ?? []).map((host) => host.toLowerCase())),
    search: createToolSearch([...catalogue.operations, ...catalogue.workflows]),
    inFlight: createInFlight(),
    stateless: createStatelessDoor(parts.log),
    surfaceOf: rememberSurfaces((profile, role) => buildSurface(catalogue, profile, role)),
  };
  return async (request) => {
    const requestId = requestIdOf(request.headers);
    try {
      const caller = await parts.auth.authenticate(bearerOf(request.headers.get('authorization')));
      assertKnownHost(request.headers, request.url, shared.hosts);
      if (request.method !== 'POST') return notAllowed(requestId);
      return await answer(shared, caller, request, requestId);
    } catch (error) {
      if (!(error instanceof AppError)) parts.log?.error({ err: error, requestId }, 'MCP request failed');
      return refuse(error, requestId);
    }
  };
}

async function answer(shared: Shared, caller: Caller, request: Request, requestId: string): Promise<Response> {
  const text = await readBody(request, shared.maxBodyBytes ?? MAX_BODY_BYTES, shared.bodyTimeoutMs ?? BODY_TIMEOUT_MS);
  const body = parseJson(text);
  if (body === undefined)
    return refuse(new AppError('invalid_input', 'The body is not JSON.'), requestId, RPC_PARSE_ERROR);
  if (Array.isArray(body) && body.length > MAX_BATCH) {
    const detail = `A batch may hold ${MAX_BATCH} messages, not ${body.length}.`;
    return refuse(new AppError('invalid_input', detail), requestId, RPC_INVALID_REQUEST);
  }
  const session = sessionFor(shared, caller, request.headers, requestId);
  const response = (await shared.stateless.isItsOwn(request, body))
    ? await shared.stateless.answerPost(connectionOf(shared, session), request, body)
    : await answerHandshakePost(cancellable(shared, session, request), request, body);
  response.headers.set('X-Request-Id', requestId);
  const isGreeting = messagesOf(body).some(({ method }) => method === 'initialize');
  if (isGreeting && response.ok) response.headers.set(SESSION_HEADER, crypto.randomUUID());
  return response;
}

function sessionFor(shared: Shared, caller: Caller, headers: Headers, requestId: string): Session {
  const { dispatcher, search, log } = shared;
  const asked = headers.get(PROFILE_HEADER);
  const profile = asked === null ? shared.profile : intersectProfiles(shared.profile, profileByName(asked));
  const surface = shared.surfaceOf(profile, caller.role);
  return { dispatcher, search, surface, profile, caller, requestId, via: viaOf(headers, 'mcp'), log };
}

function connectionOf({ version, openApi, log }: Shared, session: Session): Connection {
  const { surface, profile, requestId } = session;
  return {
    version,
    log,
    requestId,
    instructions: instructionsFor(profile),
    surface: () => surface,
    call: (call) => runToolCall(session, call),
    read: (uri) => readResource(session, uri, openApi),
  };
}

/** In the older generation a cancellation is a POST of its own, which finds its call by the session that both name. */
function cancellable(shared: Shared, session: Session, request: Request): Connection {
  const sessionId = request.headers.get(SESSION_HEADER);
  return {
    ...connectionOf(shared, session),
    call: (call, id) =>
      shared.inFlight.run(callKey(session.caller, sessionId, id), (signal) =>
        runToolCall(session, { ...call, signal }),
      ),
    cancelled: (id) => shared.inFlight.cancel(callKey(session.caller, sessionId, id)),
  };
}

function rememberSurfaces(build: (profile: Profile, role: Role) => Surface): Shared['surfaceOf'] {
  const known = new Map<string, Surface>();
  return (profile, role) => {
    const key = `${role} ${profile.name}`;
    let surface = known.get(key);
    if (surface === undefined) known.set(key, (surface = build(profile, role)));
    return surface;
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function notAllowed(requestId: string): Response {
  const detail = 'MCP answers POST here: each call is one request, and nothing is pushed between them.';
  const error = new AppError('unknown_operation', detail, { facts: { methods: ['POST'] } });
  const refused = refuse(error, requestId, undefined, { Allow: 'POST' });
  return new Response(refused.body, { status: 405, headers: refused.headers });
}
