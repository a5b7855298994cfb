/** Writes and reads the cookie of a session, and checks what a browser's request must bring beside it. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { unauthenticated } from '../../auth/auth.ts';
import { SessionCaller, type Sessions } from '../../auth/sessions.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Caller } from '../../domain/shapes/installation/security.ts';

export const SESSION_COOKIE = 'onair_session';
export const CSRF_HEADER = 'X-CSRF-Token';

interface CookiePlace {
  secure: boolean;
  path: string;
}

/** SameSite=Strict keeps the cookie out of other sites' links and forms, HttpOnly out of scripts. `seconds` is what is left of the session. */
export function setCookie(secret: string, { secure, path }: CookiePlace, seconds: number): string {
  return `${SESSION_COOKIE}=${secret}; HttpOnly; SameSite=Strict; Path=${path}; Max-Age=${seconds}${secure ? '; Secure' : ''}`;
}

export function clearCookie({ secure, path }: CookiePlace): string {
  return `${SESSION_COOKIE}=; HttpOnly; SameSite=Strict; Path=${path}; Max-Age=0${secure ? '; Secure' : ''}`;
}

/** Below a path of a host that others share, the cookie stays out of their requests. */
export function cookiePathOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? '/' : new URL(publicUrl).pathname.replace(/(?<=.)\/+$/u, '');
}

const SESSION_VALUE = new RegExp(`(?:^|; *)${SESSION_COOKIE}=([^;\\s]*)`, 'u');

export function sessionCookieOf(headers: Headers): string | undefined {
  return SESSION_VALUE.exec(headers.get('cookie') ?? '')?.[1];
}

export interface SessionAuth {
  /** Answers the caller of a request without a bearer token. Rejects with AppError unauthenticated. */
  callerOf(request: Request): Promise<Caller>;
  /** Throws AppError forbidden for a request that another site's page makes. */
  assertOurOrigin(headers: Headers): void;
  /**
   * Throws AppError forbidden for a change that does not come from the session's own page; a call with a token always passes. `csrfToken` is
   * that of a form, in which it stands beside the fields.
   */
  assertIntended(headers: Headers, caller: Caller, csrfToken?: string): void;
}

export function createSessionAuth(sessions: Sessions, publicUrl: string | undefined): SessionAuth {
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host;

  /** Only the host is compared, and not the scheme: a proxy may have taken TLS off. */
  function assertOurOrigin(headers: Headers): void {
    const origin = headers.get('origin');
    if (origin === null) return;
    const host = URL.canParse(origin) ? new URL(origin).host : '';
    if (host !== '' && (host === publicHost || host === headers.get('host')?.toLowerCase())) return;
    throw new AppError(
      'forbidden',
      `The request comes from the page ${JSON.stringify(origin.slice(0, 200))}, which is not one of this server. Open the server's own page, or set ONAIR_PUBLIC_URL to the address under which it is reached.`,
      { remedy: 'Send it from a page of this server.' },
    );
  }

  function assertIntended(headers: Headers, caller: Caller, csrfToken = headers.get(CSRF_HEADER) ?? ''): void {
    if (!(caller instanceof SessionCaller)) return;
    assertOurOrigin(headers);
    if (isEqual(csrfToken, caller.csrfToken)) return;
    throw new AppError(
      'forbidden',
      `A change that is made with a session needs the header ${CSRF_HEADER} with the csrf_token that sign-in and GET /security/me answer.`,
      { facts: { header: CSRF_HEADER } },
    );
  }

  return {
    assertOurOrigin,
    assertIntended,
    async callerOf(request) {
      const secret = sessionCookieOf(request.headers);
      if (secret === undefined) throw unauthenticated();
      return sessions.authenticate(secret);
    },
  };
}

/** Compares in the same time for any two texts. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
