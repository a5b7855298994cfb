/** The access by the authorization server that the settings name, in place of this one. */
import type { ProviderAccess } from '../../auth/oauth/provider/provider-access.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { Config } from '../settings/config.ts';

interface Deps {
  store: Store;
  clock: Clock;
}

/** undefined where no setting names one. Rejects with AppError invalid_input without the address that its tokens are for. */
export async function openProviderAccess(
  { oauthIssuer: issuer, publicUrl, oidcRoleClaim: roleClaim, oidcAdminRole, oidcOperatorRole }: Config,
  { store, clock }: Deps,
): Promise<ProviderAccess | undefined> {
  if (issuer === undefined) return undefined;
  if (publicUrl === undefined)
    throw new AppError('invalid_input', 'ONAIR_OAUTH_ISSUER needs ONAIR_PUBLIC_URL too.', {
      errors: [{ field: 'ONAIR_PUBLIC_URL', code: 'required', message: 'is missing' }],
      remedy: 'Set ONAIR_PUBLIC_URL: the authorization server gives tokens for that address with /mcp.',
    });
  // Few installations have one, and the libraries are large.
  const { createAccessTokens } = await import('../../auth/oauth/provider/access-tokens.ts');
  const { createProviderAccess } = await import('../../auth/oauth/provider/provider-access.ts');
  const tokens = createAccessTokens({ issuer, resource: `${publicUrl.replace(/\/+$/u, '')}/mcp` });
  const roles = { roleClaim, adminRole: oidcAdminRole, operatorRole: oidcOperatorRole };
  return createProviderAccess({ tokens, store, clock, ...roles });
}
