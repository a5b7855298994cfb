/**
 * People sign in by a page: POST /security/login, /security/renew, /security/logout and /security/password, GET /security/me. These are no tools, for a model
 * has no business with passwords and cookies. They work under the profile readonly too, because they change nothing but who is signed in.
 */
import { performance } from 'node:perf_hooks';
import { Hono } from 'hono';
import { z } from 'zod/v3';
import { bearerOf, type Auth } from '../../auth/auth.ts';
import { SessionCaller, type Sessions } from '../../auth/sessions.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import { secretField } from '../../domain/base/schema.ts';
import { PASSWORD } from '../../domain/shapes/installation/user.ts';
import type { Log } from '../../domain/base/log.ts';
import { presentProfile } from '../../domain/rules/installation/user.ts';
import type { Caller } from '../../domain/shapes/installation/security.ts';
import { parseInput } from '../../toolkit/input/input.ts';
import { readJsonObject } from '../body.ts';
import { clientNetwork, isSecure, type Proxies } from '../client-address.ts';
import { otherMethod } from '../methods.ts';
import type { Meters } from '../metrics/metrics.ts';
import { jsonReply, problemReply, requestIdOf } from '../replies.ts';
import { PREFIX } from '../routes.ts';
import { clearCookie, cookiePathOf, sessionCookieOf, setCookie, type SessionAuth } from './session-cookie.ts';

/** The parts that every route of the sign-in needs. */
export interface SignInRoutes {
  /** The proxies whose X-Forwarded-For is believed. */
  proxies: Proxies;
  log: Log;
  meters: Meters;
}

interface SignInRoute {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  operation: string;
  /** True: HEAD asks the same. */
  isIdempotent?: boolean;
  act: (request: SignInRequest) => Promise<Response>;
  refuse?: (error: unknown, request: Request, requestId: string) => Response;
}

interface SignInDeps extends SignInRoutes {
  auth: Auth;
  sessions: Sessions;
  sessionAuth: SessionAuth;
  publicUrl: string | undefined;
  /** The name of the profile that REST heeds. */
  profile: string;
  clock: Pick<Clock, 'now'>;
  bodyTimeoutMs: number;
}

export interface SignInRequest {
  request: Request;
  requestId: string;
  /** The network of the client. */
  address: string;
}

/** The bounds are above any name or password that exists: a longer one is simply wrong, and none may fill memory or log. */
const credentials = z.object({ username: z.string().min(1).max(256), password: z.string().min(1).max(1024) }).strict();
const newPassword = z
  .object({ password: z.string().min(1).max(1024), new_password: secretField(PASSWORD.min, PASSWORD.max) })
  .strict();
/** Both fields have room with every character escaped. A client that has not signed in yet gets no more of our memory. */
const MAX_CREDENTIAL_BYTES = 16 * 1024;

export function signInApp(deps: SignInDeps): Hono {
  const { sessions, sessionAuth, publicUrl, clock } = deps;
  const app = new Hono();
  const path = cookiePathOf(publicUrl);

  async function login({ request, requestId, address }: SignInRequest): Promise<Response> {
    // Another site must not sign a browser in as somebody of its choice.
    sessionAuth.assertOurOrigin(request.headers);
    const { username, password } = parseInput(
      credentials,
      await readJsonObject(request, deps.bodyTimeoutMs, MAX_CREDENTIAL_BYTES),
    );
    const { secret, caller } = await sessions.signIn({ username, password, address, requestId });
    return signedIn(secret, caller, request, requestId);
  }

  /** The page calls it while it is open, long before the session ends. */
  async function renew({ request, requestId }: SignInRequest): Promise<Response> {
    const secret = sessionCookieOf(request.headers) ?? '';
    sessionAuth.assertIntended(request.headers, await sessions.authenticate(secret));
    return signedIn(secret, await sessions.renew(secret, requestId), request, requestId);
  }

  async function signedIn(
    secret: string,
    caller: SessionCaller,
    request: Request,
    requestId: string,
  ): Promise<Response> {
    const seconds = Math.ceil((Date.parse(caller.expiresAt) - clock.now()) / 1000);
    const cookie = { 'Set-Cookie': setCookie(secret, { secure: isSecure(request, publicUrl), path }, seconds) };
    return jsonReply(200, { data: await describe(deps, caller) }, requestId, cookie);
  }

  async function logout({ request, requestId }: SignInRequest): Promise<Response> {
    const caller = await sessions.authenticate(sessionCookieOf(request.headers) ?? '');
    sessionAuth.assertIntended(request.headers, caller);
    await sessions.signOut(caller, requestId);
    const cookie = { 'Set-Cookie': clearCookie({ secure: isSecure(request, publicUrl), path }) };
    return jsonReply(200, { data: { signed_out: true } }, requestId, cookie);
  }

  /** Everybody may, for themselves alone; of others an Administrator sets it by updateUser. */
  async function changePassword({ request, requestId, address }: SignInRequest): Promise<Response> {
    const caller = await sessions.authenticate(sessionCookieOf(request.headers) ?? '');
    sessionAuth.assertIntended(request.headers, caller);
    if (deps.profile === 'readonly')
      throw new AppError('profile_forbidden', 'This server is read-only: no password can be changed here.');
    const change = parseInput(newPassword, await readJsonObject(request, deps.bodyTimeoutMs, MAX_CREDENTIAL_BYTES));
    await sessions.changePassword(caller, { ...change, address, requestId });
    return jsonReply(200, { data: { changed: true } }, requestId);
  }

  async function me(each: SignInRequest): Promise<Response> {
    const caller = await callerOf(deps, each);
    const { requestId } = each;
    return jsonReply(200, { data: await describe(deps, caller) }, requestId);
  }

  serveSignIn(app, deps, { method: 'POST', path: '/security/login', operation: 'login', act: login });
  serveSignIn(app, deps, { method: 'POST', path: '/security/renew', operation: 'renewSession', act: renew });
  serveSignIn(app, deps, { method: 'POST', path: '/security/logout', operation: 'logout', act: logout });
  const own = { path: '/security/password', operation: 'changePassword', act: changePassword };
  serveSignIn(app, deps, { method: 'POST', ...own });
  serveSignIn(app, deps, { method: 'GET', path: '/security/me', operation: 'getMe', isIdempotent: true, act: me });
  return app;
}

/** Answers whose session or token it is. */
export async function callerOf(
  { auth, sessionAuth }: Pick<SignInDeps, 'auth' | 'sessionAuth'>,
  { request, requestId }: SignInRequest,
): Promise<Caller> {
  const bearer = bearerOf(request.headers.get('authorization'));
  return bearer === undefined ? sessionAuth.callerOf(request) : auth.authenticate(bearer, { via: 'rest', requestId });
}

async function describe({ sessions, profile: tool_profile }: SignInDeps, caller: Caller): Promise<object> {
  const user = await sessions.userOf(caller);
  const { id, username, first_name, last_name, email, user_role } = user;
  const { userId: _id, ...profile } = presentProfile(user);
  return {
    id,
    username,
    first_name,
    last_name,
    email,
    user_role,
    profile,
    tool_profile,
    ...(caller instanceof SessionCaller && { csrf_token: caller.csrfToken, expires_at: caller.expiresAt }),
  };
}

/** Serves one route of the sign-in; `refuse` is left out where a refusal is a problem. */
export function serveSignIn(app: Hono, deps: SignInRoutes, route: SignInRoute): void {
  const {
    method,
    path,
    operation,
    act,
    refuse = (error, _request, requestId) => problemReply(error, requestId),
  } = route;
  const meter = deps.meters.meter(operation);
  const methods = route.isIdempotent === true ? ['GET', 'HEAD'] : [method];
  app.all(`${PREFIX}${path}`, async (c) => {
    const request = c.req.raw;
    const requestId = requestIdOf(request);
    const startedMs = performance.now();
    let outcome = 'ok';
    try {
      if (!methods.includes(request.method)) return otherMethod(request, c.req.path, methods);
      return await act({ request, requestId, address: clientNetwork(c.env, request.headers, deps.proxies) });
    } catch (error) {
      outcome = error instanceof AppError ? error.code : 'internal';
      if (!(error instanceof AppError)) deps.log.error({ err: error, requestId }, `${operation} failed`);
      return refuse(error, request, requestId);
    } finally {
      meter.record(outcome, (performance.now() - startedMs) / 1000);
    }
  });
}
