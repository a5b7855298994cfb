/** A refused client hears of the way in: WWW-Authenticate as RFC 6750 and RFC 9728 have it, and too little scope of a token by OAuth. */
import { AppError } from '../domain/base/errors.ts';
import { OAUTH_SCOPES, type Caller } from '../domain/shapes/installation/security.ts';
import type { Profile } from '../toolkit/access.ts';
import type { Dispatcher } from '../toolkit/dispatch.ts';
import type { MeantCall } from './calls/refused-calls.ts';

const INSUFFICIENT = 'insufficient_scope';

/** `metadataUrl` is left out where there is no OAuth for the request. */
export function challengeHeaders(
  error: unknown,
  metadataUrl: string | undefined,
  hasToken: boolean,
): Record<string, string> {
  if (!(error instanceof AppError)) return {};
  const about: Record<string, string> = metadataUrl === undefined ? {} : { resource_metadata: metadataUrl };
  const { error: word, scope } = error.extras.facts ?? {};
  if (word === INSUFFICIENT) return header({ error: INSUFFICIENT, scope: String(scope), ...about });
  if (error.code !== 'unauthenticated') return {};
  return header({ ...(hasToken && { error: 'invalid_token' }), ...about });
}

function header(parameters: Record<string, string>): Record<string, string> {
  const parts = Object.entries({ realm: 'onair', ...parameters }).map(([name, value]) => `${name}="${value}"`);
  return { 'WWW-Authenticate': `Bearer ${parts.join(', ')}` };
}

/**
 * Throws AppError profile_forbidden for calls that the scope alone keeps an assistant from: a client that hears so asks the person for more.
 * What role or server forbid stays an answer to the call, because no consent would change it. `profile` is that of the server.
 */
export function assertScope(
  { rightsOf }: Dispatcher,
  profile: Profile,
  caller: Caller,
  calls: readonly MeantCall[],
): void {
  if (caller.client === undefined || caller.scope === undefined) return;
  const unlimited = rightsOf({ caller: { ...caller, scope: undefined }, profile });
  const limited = rightsOf({ caller, profile });
  for (const { operation } of calls) {
    if (refusalOf(() => unlimited.assertMayCall(operation)) !== undefined) continue;
    const refused = refusalOf(() => limited.assertMayCall(operation));
    if (refused?.code !== 'profile_forbidden') continue;
    const { facts = {} } = refused.extras;
    const allowedBy = facts['allowed_by'] as readonly string[];
    const scope = OAUTH_SCOPES[allowedBy.includes('operator') ? 'operator' : 'full'];
    throw new AppError('profile_forbidden', refused.message, {
      ...refused.extras,
      facts: { ...facts, error: INSUFFICIENT, scope },
    });
  }
}

function refusalOf(check: () => void): AppError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
