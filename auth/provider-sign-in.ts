/** People sign in by the identity provider of their organisation: what is under way is in their browser, sealed, and counts once. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Clock } from '../domain/time/clock.ts';
import { AppError } from '../domain/base/errors.ts';
import { endSessionsOf, signedInUser } from '../domain/rules/installation/identity.ts';
import type { Store } from '../domain/ports/store.ts';
import { namesOf, roleOf, textOf, type RoleNames } from './account-claims.ts';
import type { IdentityProvider, OpenSignIn, ProvenAccount } from './identity-provider.ts';
import type { Sessions, SignedIn } from './sessions.ts';

/** People look for their second factor in this time. */
export const SIGN_IN_MS = 10 * 60_000;
/** Sign-ins whose end is remembered; each has cost its sender a request to the provider. */
const MAX_ENDED = 10_000;
/** Answers of the provider that are waited for at once. */
const MAX_UNDER_WAY = 50;

export interface ProviderSignIn {
  /** The host of the issuer, by which people know it. */
  readonly name: string;
  /** Answers where the browser goes, and the sealed value that it brings back, with `returnTo` in it. Rejects with AppError upstream_failed. */
  begin(returnTo?: string): Promise<{ url: string; sealed: string }>;
  /** Rejects with AppError: unauthenticated for a sign-in that is not that of this browser, forbidden for an account without a role. */
  finish(
    query: URLSearchParams,
    sealed: string | undefined,
    requestId: string,
  ): Promise<SignedIn & { returnTo?: string }>;
}

interface ProviderSignInDeps extends RoleNames {
  provider: IdentityProvider;
  issuer: string;
  redirectUri: () => string;
  sessions: Pick<Sessions, 'admit' | 'noteRefusal'>;
  store: Pick<Store, 'tx'>;
  clock: Pick<Clock, 'now'>;
}

interface Sealed extends OpenSignIn {
  untilMs: number;
  returnTo?: string;
}

export function createProviderSignIn(deps: ProviderSignInDeps): ProviderSignIn {
  const { provider, issuer, sessions, store, clock, redirectUri } = deps;
  const seal = createSeal();
  const ended = new Map<string, number>();
  let underWay = 0;

  /** Answers the sign-in that this browser has begun, and ends it: the same answer of the provider counts once. */
  function take(state: string | null, sealed: string | undefined): Sealed {
    const open = sealed === undefined ? undefined : seal.open(sealed);
    if (open === undefined || open.state !== state || open.untilMs <= clock.now() || ended.has(open.state))
      throw new AppError('unauthenticated', 'This sign-in was not begun in this browser, was used, or has expired.', {
        remedy: 'Begin the sign-in again.',
      });
    const [oldest] = ended.keys();
    if (ended.size >= MAX_ENDED && oldest !== undefined) ended.delete(oldest);
    ended.set(open.state, open.untilMs);
    return open;
  }

  async function prove(query: URLSearchParams, open: OpenSignIn): Promise<ProvenAccount> {
    if (underWay >= MAX_UNDER_WAY)
      throw new AppError('unavailable', `${MAX_UNDER_WAY} sign-ins are under way.`, { retryAfterSeconds: 5 });
    underWay += 1;
    try {
      const callback = new URL(redirectUri());
      callback.search = query.toString();
      return await provider.finish(callback, open);
    } finally {
      underWay -= 1;
    }
  }

  async function admit(account: ProvenAccount, requestId: string): Promise<SignedIn> {
    const identity = { issuer: account.issuer, subject: account.subject };
    const role = roleOf(account.roles, deps);
    if (role !== undefined)
      return sessions.admit((tx, now) => signedInUser(tx, identity, namesOf(account.claims), role, now), requestId);
    const user = await store.tx((tx) => endSessionsOf(tx, identity));
    throw await refused(noRole(deps, account), user?.username, requestId);
  }

  async function refused(error: AppError, username: string | undefined, requestId: string): Promise<AppError> {
    await sessions.noteRefusal(error.code, username, requestId);
    return error;
  }

  return {
    name: new URL(issuer).host,
    async begin(returnTo) {
      const { url, open } = await provider.begin(redirectUri());
      return {
        url,
        sealed: seal.close({ ...open, untilMs: clock.now() + SIGN_IN_MS, ...(returnTo !== undefined && { returnTo }) }),
      };
    },
    async finish(query, sealed, requestId) {
      const { returnTo, ...open } = take(query.get('state'), sealed);
      return { ...(await admit(await prove(query, open), requestId)), ...(returnTo !== undefined && { returnTo }) };
    },
  };
}

function noRole({ roleClaim, adminRole, operatorRole }: ProviderSignInDeps, { claims }: ProvenAccount): AppError {
  const names = [adminRole, operatorRole].filter((role) => role !== undefined);
  const who = textOf(claims['preferred_username']) || textOf(claims['email']) || textOf(claims['sub']);
  return new AppError(
    'forbidden',
    `The account ${JSON.stringify(who.slice(0, 100))} has no role in this service: its claim ${roleClaim} has none of ${names.join(', ')}.`,
    { remedy: 'Ask the administrator of the identity provider for one of these roles, then sign in again.' },
  );
}

/** Only this process opens what it has sealed; after a restart a sign-in that was under way is begun again. */
function createSeal(): { close: (open: Sealed) => string; open: (text: string) => Sealed | undefined } {
  const key = randomBytes(32);
  return {
    close(open) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const text = Buffer.concat([cipher.update(JSON.stringify(open), 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url');
    },
    open(text) {
      const bytes = Buffer.from(text, 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(12, 28));
        const opened = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
        return JSON.parse(opened.toString('utf8')) as Sealed;
      } catch {
        // Somebody else has made it, or this process before a restart.
        return undefined;
      }
    },
  };
}
