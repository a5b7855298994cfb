/**
 * /oauth/authorize: a person is led to the sign-in and back, says what the assistant may do, and the browser takes the answer to it. What is
 * wrong with a request goes to the program, unless it is not known where that is.
 */
import { Hono } from 'hono';
import {
  readAuthorization,
  readTarget,
  type AuthorizationRequest,
  type AuthorizationTarget,
} from '../../auth/oauth/authorization.ts';
import type { OAuth } from '../../auth/oauth/oauth.ts';
import { withAnswer } from '../../auth/oauth/redirects.ts';
import { refusalOf } from '../../auth/oauth/refusals.ts';
import { offeredProfiles } from '../../auth/oauth/scopes.ts';
import { SessionCaller, type Sessions } from '../../auth/sessions.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Log } from '../../domain/base/log.ts';
import type { Profile } from '../../toolkit/access.ts';
import type { Dispatcher } from '../../toolkit/dispatch.ts';
import { clientNetwork, isSecure, type Proxies } from '../client-address.ts';
import { otherMethod } from '../methods.ts';
import type { Meters } from '../metrics/metrics.ts';
import { requestIdOf } from '../replies.ts';
import { PREFIX } from '../routes.ts';
import { RETURN_TO } from '../sign-in/provider-sign-in.ts';
import { cookiePathOf, setCookie, type SessionAuth } from '../sign-in/session-cookie.ts';
import { choiceOf, operationsFor } from './choice.ts';
import { readForm } from './form.ts';
import { PATHS } from './metadata.ts';
import { consentPage, mayNotPage, refusalPage, signInPage, stepPage, type Shown } from './pages.ts';
import type { Place, Places } from './place.ts';
import { consentWords } from './words.ts';

export interface AuthorizeDeps {
  oauth: OAuth;
  places: Places;
  /** The authorization server of the deployment, where there is one in place of this server. */
  providerIssuer?: string | undefined;
  proxies: Proxies;
  sessions: Sessions;
  sessionAuth: SessionAuth;
  dispatcher: Dispatcher;
  /** The profile of MCP here. */
  profile: Profile;
  /** The identity provider, as people know it; left out: there is none. */
  providerName: string | undefined;
  publicUrl: string | undefined;
  clock: Pick<Clock, 'now'>;
  log: Log;
  meters: Meters;
  bodyTimeoutMs: number;
}

/** The parameter of an address that a page of ours has led to, so that the cookie of a session is there if there is one. */
const STEP = 'same_site';
const METHODS = ['GET', 'HEAD', 'POST'];

/** One request, as far as it has been read. */
interface Visit {
  request: Request;
  url: URL;
  network: string;
  place: Place;
  target: AuthorizationTarget;
  shown: Shown;
}

export function authorizeApp(deps: AuthorizeDeps): Hono {
  const app = new Hono();
  const meter = deps.meters.meter('oauthAuthorize');
  app.all(PATHS.authorize, async ({ req, env }) => {
    const { raw: request } = req;
    const requestId = requestIdOf(request);
    if (!METHODS.includes(request.method)) return otherMethod(request, req.path, METHODS);
    const startedMs = performance.now();
    let outcome = 'ok';
    const note = (error: unknown): void => {
      outcome = error instanceof AppError ? error.code : 'internal';
      if (!(error instanceof AppError)) deps.log.error({ err: error, requestId }, 'oauthAuthorize failed');
    };
    try {
      return await answer(deps, request, env, requestId, note);
    } catch (error) {
      note(error);
      return refusalPage(error, { words: consentWords(request.headers.get('accept-language')), requestId });
    } finally {
      meter.record(outcome, (performance.now() - startedMs) / 1000);
    }
  });
  return app;
}

/** Rejects with AppError for what the person must see. */
async function answer(
  deps: AuthorizeDeps,
  request: Request,
  surroundings: unknown,
  requestId: string,
  note: (error: unknown) => void,
): Promise<Response> {
  const url = new URL(request.url);
  const place = deps.places.of(request, surroundings);
  const target = await readTarget(url.searchParams, deps.oauth.clients);
  const action = `${deps.places.basePath}${PATHS.authorize}${stepped(url)}`;
  const words = consentWords(request.headers.get('accept-language'));
  const network = clientNetwork(surroundings, request.headers, deps.proxies);
  const visit: Visit = { request, url, network, place, target, shown: { words, requestId, action, target } };
  try {
    const authorization = readAuthorization(url.searchParams, place.resource);
    return request.method === 'POST' ? await decide(deps, visit, authorization) : await ask(deps, visit, authorization);
  } catch (error) {
    const word = refusalOf(error);
    if (word === undefined) throw error;
    note(error);
    return goTo(visit, { error: word, error_description: (error as AppError).message }, 302);
  }
}

/** The address of the request with the mark that a page of ours has led to it. */
function stepped({ searchParams }: URL): string {
  const query = new URLSearchParams(searchParams);
  query.set(STEP, '1');
  return `?${query.toString()}`;
}

/** The answer to the program, which always says who it is from (RFC 9207). */
function goTo({ place, target }: Visit, response: Record<string, string>, status: 302 | 303): Response {
  const location = withAnswer(target.redirectUri, { ...response, state: target.state, iss: place.issuer });
  return new Response(null, {
    status,
    headers: { Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
  });
}

async function callerOf(deps: AuthorizeDeps, { request }: Visit): Promise<SessionCaller | undefined> {
  try {
    const caller = await deps.sessionAuth.callerOf(request);
    return caller instanceof SessionCaller ? caller : undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return undefined;
    throw error;
  }
}

async function ask(deps: AuthorizeDeps, visit: Visit, authorization: AuthorizationRequest): Promise<Response> {
  const caller = await callerOf(deps, visit);
  if (caller !== undefined) return consent(deps, visit, authorization, caller);
  return visit.url.searchParams.has(STEP) ? signIn(deps, visit) : stepPage(visit.shown, visit.shown.action);
}

async function consent(
  deps: AuthorizeDeps,
  visit: Visit,
  { profiles }: AuthorizationRequest,
  caller: SessionCaller,
  problem?: string,
): Promise<Response> {
  const { profile: own } = await deps.sessions.userOf(caller);
  const shown = { ...visit.shown, words: consentWords(own.language), csrfToken: caller.csrfToken };
  if (!own.api) return mayNotPage(shown);
  const offered = offeredProfiles(profiles, caller.role);
  // Everything is chosen on purpose alone, unless nothing else was requested.
  const [only, ...others] = profiles;
  const asking = others.length === 0 && only !== undefined && offered.includes(only) ? only : undefined;
  const chosen = asking ?? offered.find((profile) => profile === 'operator') ?? offered[0]!;
  const operations = operationsFor(deps.dispatcher, offered, caller.role);
  return consentPage({ ...shown, username: caller.username, offered, chosen, operations, problem });
}

function signIn(deps: AuthorizeDeps, { url, shown }: Visit, problem?: string, status?: number): Response {
  const { providerName: name, places } = deps;
  // Without the mark: the provider, another site, leads back, and the cookie stays away from that.
  const query = new URLSearchParams(url.searchParams);
  query.delete(STEP);
  const back = `${PATHS.authorize}?${query.toString()}`;
  const href = `${places.basePath}${PREFIX}/security/oidc/login?${new URLSearchParams({ [RETURN_TO]: back }).toString()}`;
  return signInPage({
    ...shown,
    problem,
    ...(status !== undefined && { status }),
    provider: name === undefined ? undefined : { name, href },
  });
}

async function decide(deps: AuthorizeDeps, visit: Visit, authorization: AuthorizationRequest): Promise<Response> {
  const { request, target, shown } = visit;
  deps.sessionAuth.assertOurOrigin(request.headers);
  const form = await readForm(request, deps.bodyTimeoutMs);
  if (form.get('decision') === 'sign_in') return enter(deps, visit, form);
  const caller = await callerOf(deps, visit);
  if (caller === undefined) return signIn(deps, visit);
  deps.sessionAuth.assertIntended(request.headers, caller, form.get('csrf_token') ?? '');
  if (form.get('decision') !== 'allow')
    return goTo(visit, { error: 'access_denied', error_description: 'The person has declined.' }, 303);
  let choice: ReturnType<typeof choiceOf>;
  try {
    choice = choiceOf(deps, form, offeredProfiles(authorization.profiles, caller.role), caller);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return consent(deps, visit, authorization, caller, error.message);
  }
  const { requestId } = shown;
  const code = await deps.oauth.consent({
    userId: caller.userId,
    target,
    request: authorization,
    ...choice,
    requestId,
  });
  return goTo(visit, { code }, 303);
}

/** The sign-in of the page, by a form: its session is that of the page too. */
async function enter(deps: AuthorizeDeps, visit: Visit, form: URLSearchParams): Promise<Response> {
  const { request, network: address, shown } = visit;
  const { requestId, words, action } = shown;
  const [username, password] = [form.get('username') ?? '', form.get('password') ?? ''];
  try {
    const { secret, caller } = await deps.sessions.signIn({
      username: username.slice(0, 256),
      password: password.slice(0, 1024),
      address,
      requestId,
    });
    const seconds = Math.ceil((Date.parse(caller.expiresAt) - deps.clock.now()) / 1000);
    const cookie = setCookie(
      secret,
      { secure: isSecure(request, deps.publicUrl), path: cookiePathOf(deps.publicUrl) },
      seconds,
    );
    return new Response(null, {
      status: 303,
      headers: { Location: action, 'Set-Cookie': cookie, 'Cache-Control': 'no-store' },
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'unauthenticated') return signIn(deps, visit, words.wrong, 403);
    if (error.code === 'rate_limited')
      return signIn(deps, visit, words.wait(Math.ceil(error.extras.retryAfterSeconds ?? 1)), 429);
    throw error;
  }
}
