/**
 * The sign-in by an identity provider: GET /security/oidc/login sends the browser there, and GET /security/oidc/callback takes it back with
 * a session. Both are for browsers, so a refusal is a page where a page was asked for.
 */
import { Hono } from 'hono';
import { SIGN_IN_MS, type ProviderSignIn } from '../../auth/provider-sign-in.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { AppError, toProblem } from '../../domain/base/errors.ts';
import { isSecure } from '../client-address.ts';
import { escaped, plainPage } from './plain-page.ts';
import { problemReply } from '../replies.ts';
import { PREFIX } from '../routes.ts';
import { cookiePathOf, setCookie } from './session-cookie.ts';
import { serveSignIn, type SignInRequest, type SignInRoutes } from './sign-in.ts';

interface ProviderSignInDeps extends SignInRoutes {
  /** Left out: no identity provider is set. */
  signIn: ProviderSignIn | undefined;
  publicUrl: string | undefined;
  clock: Pick<Clock, 'now'>;
}

const COOKIE = 'onair_sign_in';
const COOKIE_VALUE = new RegExp(`(?:^|; *)${COOKIE}=([^;\\s]*)`, 'u');
const PATH = '/security/oidc';
/** The page asks who is signed in where its address says so: the cookie is not sent with the redirect, which another site began. */
const SIGNED_IN = '?signed-in';

/** The parameter of the sign-in that names where a person comes from, and goes on to. */
export const RETURN_TO = 'return_to';
/** A cookie holds 4 KB, sealed and in base64; a longer way back is not kept. */
const MAX_RETURN_TO = 2000;

/** Only what asks for consent has people come back, so that nothing else can be put behind a sign-in. */
function ownPath(path: string | null): string | undefined {
  return path !== null && path.length <= MAX_RETURN_TO && path.startsWith('/oauth/authorize?') ? path : undefined;
}

export function providerSignInApp(deps: ProviderSignInDeps): Hono {
  const { signIn, publicUrl, clock } = deps;
  const app = new Hono();
  const base = cookiePathOf(publicUrl).replace(/\/$/u, '');

  /** SameSite is Lax, because the provider sends the browser back from its own site. */
  function cookie(request: Request, value: string, seconds: number): string {
    const secure = isSecure(request, publicUrl) ? '; Secure' : '';
    return `${COOKIE}=${value}; HttpOnly; SameSite=Lax; Path=${base}${PREFIX}${PATH}; Max-Age=${seconds}${secure}`;
  }

  function redirect(location: string, requestId: string, cookies: readonly string[]): Response {
    const headers = new Headers({ Location: location, 'Cache-Control': 'no-store', 'X-Request-Id': requestId });
    for (const each of cookies) headers.append('Set-Cookie', each);
    return new Response(null, { status: 303, headers });
  }

  async function login({ request, requestId }: SignInRequest): Promise<Response> {
    const { url, sealed } = await known(signIn).begin(ownPath(new URL(request.url).searchParams.get(RETURN_TO)));
    return redirect(url, requestId, [cookie(request, sealed, SIGN_IN_MS / 1000)]);
  }

  async function callback({ request, requestId }: SignInRequest): Promise<Response> {
    const sealed = COOKIE_VALUE.exec(request.headers.get('cookie') ?? '')?.[1];
    const query = new URL(request.url).searchParams;
    const { secret, caller, returnTo = `/${SIGNED_IN}` } = await known(signIn).finish(query, sealed, requestId);
    const seconds = Math.ceil((Date.parse(caller.expiresAt) - clock.now()) / 1000);
    const place = { secure: isSecure(request, publicUrl), path: cookiePathOf(publicUrl) };
    return redirect(base + returnTo, requestId, [setCookie(secret, place, seconds), cookie(request, '', 0)]);
  }

  function refuse(error: unknown, request: Request, requestId: string): Response {
    const isPage = /\btext\/html\b/u.test(request.headers.get('accept') ?? '');
    return isPage ? pageOf(error, `${base}/`, requestId) : problemReply(error, requestId);
  }

  serveSignIn(app, deps, { method: 'GET', path: `${PATH}/login`, operation: 'oidcLogin', act: login, refuse });
  serveSignIn(app, deps, {
    method: 'GET',
    path: `${PATH}/callback`,
    operation: 'oidcCallback',
    act: callback,
    refuse,
  });
  return app;
}

function known(signIn: ProviderSignIn | undefined): ProviderSignIn {
  if (signIn !== undefined) return signIn;
  throw new AppError('not_found', 'This server has no identity provider.', {
    remedy: 'Sign in with a password, or set ONAIR_OIDC_ISSUER and the settings beside it.',
  });
}

function pageOf(error: unknown, home: string, requestId: string): Response {
  const { status, detail, remedy, upstream } = toProblem(error, requestId);
  const lines = [detail, remedy, ...(upstream === undefined ? [] : [`The provider says: ${upstream}`])];
  const main = `      <h1>Not signed in</h1>
      ${lines.map((line) => `<p>${escaped(line)}</p>`).join('\n      ')}
      <p><a href="${escaped(home)}">Back to the sign-in</a></p>
      <p>Request ${escaped(requestId)}</p>`;
  return plainPage({ status, requestId, lang: 'en', title: 'onair: not signed in', main });
}
