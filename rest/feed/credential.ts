/** The caller behind an open feed: a request is let in once, its caller is looked up again while the feed is open. */
import { bearerOf, type Auth } from '../../auth/auth.ts';
import type { Displays } from '../../auth/displays.ts';
import { SessionCaller } from '../../auth/sessions.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Caller } from '../../domain/shapes/installation/security.ts';
import type { Store } from '../../domain/ports/store.ts';
import { profileByName } from '../../profiles/profiles.ts';
import type { Dispatcher } from '../../toolkit/dispatch.ts';
import { viaOf } from '../../toolkit/via.ts';
import type { SessionAuth } from '../sign-in/session-cookie.ts';
import { DisplayCredential } from './display.ts';
import type { ByeReason, Credential } from './feed-reader.ts';

/** A session that has ended ends what is open within this. */
const CHECK_MS = 1000;

export interface CredentialDeps {
  auth: Auth;
  dispatcher: Pick<Dispatcher, 'rightsOf' | 'refuse'>;
  sessionAuth: Pick<SessionAuth, 'callerOf' | 'assertOurOrigin'>;
  store: Pick<Store, 'find' | 'get'>;
  displays: Displays;
  clock: Pick<Clock, 'now'>;
}

/** A document of the page needs the operations that answer the same. */
export interface Needs {
  document: string;
  operations: readonly string[];
  /** Displays may ask for it too, by the token of their link. */
  forDisplays?: boolean;
}

/**
 * Rejects with AppError: unauthenticated without a good token or session, forbidden for a page of another site, forbidden or
 * profile_forbidden for a token that is limited to less than what is shown.
 */
export async function credentialOf(
  deps: CredentialDeps,
  request: Request,
  requestId: string,
  { document, operations, forDisplays = false }: Needs,
): Promise<Credential> {
  const { auth, sessionAuth } = deps;
  // A foreign page learns nothing of whether somebody is signed in.
  sessionAuth.assertOurOrigin(request.headers);
  const bearer = bearerOf(request.headers.get('authorization'));
  const display = bearer === undefined || !forDisplays ? undefined : await DisplayCredential.of(deps, bearer);
  if (display !== undefined) return display;
  const origin = { via: viaOf(request.headers, 'rest'), requestId };
  const find = (): Promise<Caller> =>
    bearer === undefined ? sessionAuth.callerOf(request) : auth.authenticate(bearer, origin);
  const caller = await find();
  const { dispatcher } = deps;
  // What is only shown is no business of the profile of this process, which is about changes.
  const profile = profileByName('full');
  try {
    dispatcher.rightsOf({ caller, profile }).assertMayCall(...operations);
  } catch (error) {
    throw await dispatcher.refuse({ operation: document, args: {}, caller, profile, ...origin }, error);
  }
  return new OpenCredential(deps, caller, find);
}

/** Looks whether the caller may still read, and calls `end` once when not. Answers what stops the looking. */
export function whileAllowed(credential: Pick<Credential, 'check'>, end: () => void): () => void {
  const stop = (): void => clearInterval(timer);
  const refuse = (): void => {
    stop();
    end();
  };
  const timer = setInterval(() => {
    credential.check().then((reason) => reason !== undefined && refuse(), refuse);
  }, CHECK_MS);
  timer.unref();
  return stop;
}

class OpenCredential implements Credential {
  readonly follows = ['sessions', 'tokens', 'users'] as const;
  readonly caller: Caller;
  private readonly deps: CredentialDeps;
  private readonly find: () => Promise<Caller>;
  private latest: Caller;

  constructor(deps: CredentialDeps, caller: Caller, find: () => Promise<Caller>) {
    this.deps = deps;
    this.caller = caller;
    this.find = find;
    this.latest = caller;
  }

  expiresMs(): number | undefined {
    return this.latest instanceof SessionCaller ? Date.parse(this.latest.expiresAt) : undefined;
  }

  async check(): Promise<ByeReason | undefined> {
    try {
      this.latest = await this.find();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unauthenticated') throw error;
      return (await this.isExpired()) ? 'expired' : 'signed_out';
    }
    return this.latest.role === this.caller.role ? undefined : 'role';
  }

  private async isExpired(): Promise<boolean> {
    const { store, clock } = this.deps;
    const expiresMs = this.expiresMs();
    if (expiresMs !== undefined) return expiresMs <= clock.now();
    const where = { kid: this.caller.tokenKid };
    const [token] = (await store.find('tokens', { where, limit: 1 })).rows;
    if (token === undefined || token.revoked_at !== null || token.expires_at === null) return false;
    return Date.parse(token.expires_at) <= clock.now();
  }
}
