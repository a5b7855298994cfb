/** The endpoints that programs call: token, registration and revocation, and the documents that name them. Any page may (CORS). */
import { Hono, type Context } from 'hono';
import type { OAuth } from '../../auth/oauth/oauth.ts';
import { assertResource } from '../../auth/oauth/authorization.ts';
import { refusal, refusalOf } from '../../auth/oauth/refusals.ts';
import type { OAuthClientRow } from '../../domain/shapes/installation/oauth.ts';
import { AppError, toProblem } from '../../domain/base/errors.ts';
import type { Log } from '../../domain/base/log.ts';
import { readJsonObject } from '../body.ts';
import { clientNetwork, type Proxies } from '../client-address.ts';
import { otherMethod } from '../methods.ts';
import type { Meters } from '../metrics/metrics.ts';
import { jsonReply, problemReply, requestIdOf, type HeaderFields } from '../replies.ts';
import { fieldOf, neededField, readForm } from './form.ts';
import { PATHS, resourceMetadata, serverMetadata } from './metadata.ts';
import type { Place, Places } from './place.ts';

export interface EndpointDeps {
  oauth: OAuth;
  places: Places;
  /** The authorization server of the deployment, where there is one in place of this server. */
  providerIssuer?: string | undefined;
  proxies: Proxies;
  meters: Meters;
  log: Log;
  bodyTimeoutMs: number;
}

const RESOURCE = '/.well-known/oauth-protected-resource';
const SERVER = '/.well-known/oauth-authorization-server';
const MAX_METADATA_BYTES = 64 * 1024;
/** No cookie counts here, so a page of any origin gets no more than a program does. */
const ANY_ORIGIN: HeaderFields = { 'Access-Control-Allow-Origin': '*' };
const PREFLIGHT: HeaderFields = {
  ...ANY_ORIGIN,
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version',
  'Access-Control-Max-Age': '86400',
};

interface Sent {
  request: Request;
  place: Place;
  network: string;
  requestId: string;
}

interface Endpoint {
  operation: string;
  method: 'GET' | 'POST';
  act(sent: Sent): Promise<Response> | Response;
}

export function endpointApp(deps: EndpointDeps): Hono {
  const app = new Hono();
  const { basePath } = deps.places;
  const document = (of: (place: Place) => object): Endpoint => ({
    operation: 'oauthMetadata',
    method: 'GET',
    act: ({ place, requestId }) => jsonReply(200, of(place), requestId, ANY_ORIGIN),
  });
  // Below a path of a host the first form is asked for at the host itself (RFC 8414 §3.1), from where a proxy may hand it on.
  for (const path of new Set([RESOURCE, `${RESOURCE}/mcp`, `${RESOURCE}${basePath}/mcp`]))
    serve(
      app,
      deps,
      path,
      document((place) => resourceMetadata(place, deps.providerIssuer)),
    );
  if (deps.providerIssuer !== undefined) return app;
  for (const path of new Set([SERVER, SERVER + basePath])) serve(app, deps, path, document(serverMetadata));
  serve(app, deps, PATHS.token, { operation: 'oauthToken', method: 'POST', act: (sent) => token(deps, sent) });
  serve(app, deps, PATHS.register, { operation: 'oauthRegister', method: 'POST', act: (sent) => register(deps, sent) });
  serve(app, deps, PATHS.revoke, { operation: 'oauthRevoke', method: 'POST', act: (sent) => revoke(deps, sent) });
  return app;
}

function serve(app: Hono, deps: EndpointDeps, path: string, endpoint: Endpoint): void {
  const methods = endpoint.method === 'GET' ? ['GET', 'HEAD'] : ['POST'];
  const meter = deps.meters.meter(endpoint.operation);
  app.all(path, async (context) => {
    const { raw: request } = context.req;
    const requestId = requestIdOf(request);
    if (!methods.includes(request.method)) return otherwise(context, methods);
    const startedMs = performance.now();
    let outcome = 'ok';
    try {
      const place = deps.places.of(request, context.env);
      const network = clientNetwork(context.env, request.headers, deps.proxies);
      return await endpoint.act({ request, place, network, requestId });
    } catch (error) {
      outcome = error instanceof AppError ? error.code : 'internal';
      if (!(error instanceof AppError)) deps.log.error({ err: error, requestId }, `${endpoint.operation} failed`);
      return refused(error, requestId);
    } finally {
      meter.record(outcome, (performance.now() - startedMs) / 1000);
    }
  });
}

function otherwise({ req }: Context, methods: readonly string[]): Response {
  const response = otherMethod(req.raw, req.path, methods);
  const headers = { ...PREFLIGHT, 'Access-Control-Allow-Methods': methods.join(', ') };
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** The words of OAuth where it has one for the refusal, else our problem; both have `error`, which clients read first. */
function refused(error: unknown, requestId: string): Response {
  const word = refusalOf(error);
  if (word === undefined) return problemReply(error, requestId, ANY_ORIGIN);
  const { status, detail } = toProblem(error, requestId);
  return jsonReply(status, { error: word, error_description: inAscii(detail) }, requestId, ANY_ORIGIN);
}

/** RFC 6749 §5.2 allows printable ASCII without quotation marks and backslashes. */
function inAscii(text: string): string {
  return text.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/gu, '?');
}

async function token({ oauth, bodyTimeoutMs }: EndpointDeps, { request, place, requestId }: Sent): Promise<Response> {
  const form = await readForm(request, bodyTimeoutMs);
  const clientId = neededField(form, 'client_id');
  const grantType = neededField(form, 'grant_type');
  assertResource(form, place.resource);
  const scope = fieldOf(form, 'scope');
  if (grantType === 'refresh_token') {
    const refreshToken = neededField(form, 'refresh_token');
    return jsonReply(200, await oauth.refresh({ refreshToken, clientId, scope, requestId }), requestId, ANY_ORIGIN);
  }
  if (grantType !== 'authorization_code')
    throw refusal('unsupported_grant_type', 'The grant types of this server are authorization_code and refresh_token.');
  const [code, redirectUri] = [neededField(form, 'code'), neededField(form, 'redirect_uri')];
  const verifier = neededField(form, 'code_verifier');
  const tokens = await oauth.exchange({ code, clientId, redirectUri, verifier, requestId });
  return jsonReply(200, tokens, requestId, ANY_ORIGIN);
}

async function register(
  { oauth, bodyTimeoutMs }: EndpointDeps,
  { request, network, requestId }: Sent,
): Promise<Response> {
  const sent = await readJsonObject(request, bodyTimeoutMs, MAX_METADATA_BYTES).catch((error: unknown) => {
    throw error instanceof AppError ? refusal('invalid_client_metadata', error.message) : error;
  });
  return jsonReply(201, registered(await oauth.clients.register(sent, network)), requestId, ANY_ORIGIN);
}

/** Metadata that ask for something else are replaced by what this server does (RFC 7591 §3.2.1). */
function registered({ client_id, client_name, redirect_uris, created_at }: OAuthClientRow): object {
  return {
    client_id,
    client_id_issued_at: Math.floor(Date.parse(created_at) / 1000),
    client_name,
    redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

async function revoke({ oauth, bodyTimeoutMs }: EndpointDeps, { request, requestId }: Sent): Promise<Response> {
  const form = await readForm(request, bodyTimeoutMs);
  await oauth.revoke({ token: neededField(form, 'token'), clientId: fieldOf(form, 'client_id'), requestId });
  return jsonReply(200, {}, requestId, ANY_ORIGIN);
}
