/** The sign-in by the identity provider that the settings name. */
import { createProviderSignIn, type ProviderSignIn } from '../../auth/provider-sign-in.ts';
import type { Sessions } from '../../auth/sessions.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Store } from '../../domain/ports/store.ts';
import { PREFIX } from '../../rest/routes.ts';
import type { Config } from '../settings/config.ts';
import { SETTINGS, type SettingName } from '../settings/settings.ts';

interface Deps {
  store: Store;
  clock: Clock;
  sessions: Sessions;
  /** The address under which people reach the server, once it listens. */
  url: () => string;
}

const NEEDED = ['oidcIssuer', 'oidcClientId', 'oidcClientSecret'] as const satisfies readonly SettingName[];
const ROLES = ['oidcAdminRole', 'oidcOperatorRole'] as const satisfies readonly SettingName[];

/** undefined where no setting names a provider. Rejects with AppError invalid_input for settings that are there in part. */
export async function openProviderSignIn(
  config: Config,
  { store, clock, sessions, url }: Deps,
): Promise<ProviderSignIn | undefined> {
  const {
    oidcIssuer: issuer,
    oidcClientId: clientId,
    oidcClientSecret: clientSecret,
    oidcRoleClaim: roleClaim,
  } = config;
  // The roles alone are those of the tokens that another authorization server gives.
  const asking = config.oauthIssuer === undefined ? [...NEEDED, ...ROLES] : NEEDED;
  if (asking.every((name) => config[name] === undefined)) return undefined;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) throw missing(config);
  const { oidcAdminRole: adminRole, oidcOperatorRole: operatorRole } = config;
  if (adminRole === undefined && operatorRole === undefined) throw missing(config);
  // Few installations have a provider, and the library is large.
  const { createIdentityProvider } = await import('../../auth/identity-provider.ts');
  const provider = createIdentityProvider({ issuer, clientId, clientSecret, roleClaim });
  const redirectUri = (): string => `${url().replace(/\/+$/u, '')}${PREFIX}/security/oidc/callback`;
  return createProviderSignIn({
    provider,
    issuer,
    roleClaim,
    adminRole,
    operatorRole,
    redirectUri,
    sessions,
    store,
    clock,
  });
}

function missing(config: Config): AppError {
  const names = NEEDED.filter((name) => config[name] === undefined).map((name) => SETTINGS[name].variable);
  const roles = ROLES.every((name) => config[name] === undefined)
    ? [ROLES.map((name) => SETTINGS[name].variable).join(' or ')]
    : [];
  const all = [...names, ...roles];
  const errors = all.map((field) => ({ field, code: 'required', message: 'is missing' }));
  return new AppError('invalid_input', `The sign-in by an identity provider needs ${all.join(', ')} too.`, {
    errors,
    remedy: 'Set what is missing, or take ONAIR_OIDC_ISSUER and the settings beside it away.',
  });
}
