/** The settings of the identity provider, rows of bin/settings/settings.ts. */
import { z } from 'zod/v3';

const AN_ISSUER = 'an https URL without query, or an http one of this machine';

export const PROVIDER_SETTINGS = {
  oidcIssuer: {
    variable: 'ONAIR_OIDC_ISSUER',
    schema: z.string().refine(isIssuer, `must be ${AN_ISSUER}`),
    takes: AN_ISSUER,
    initial: { words: 'none: people sign in with a password' },
    meaning:
      'The identity provider by which people may sign in to the page too, by OpenID Connect ([server.md](server.md)). It knows this server by the redirect address `<ONAIR_PUBLIC_URL>/svcapiv2/security/oidc/callback`.',
  },
  oidcClientId: {
    variable: 'ONAIR_OIDC_CLIENT_ID',
    schema: z.string().min(1).max(1000),
    initial: { words: 'none; needed with the issuer' },
    meaning: 'The id under which the identity provider knows this server.',
  },
  oidcClientSecret: {
    variable: 'ONAIR_OIDC_CLIENT_SECRET',
    schema: z.string().min(1).max(1000),
    initial: { words: 'none; needed with the issuer' },
    meaning: 'The secret of that id. It is shown nowhere.',
  },
  oidcRoleClaim: {
    variable: 'ONAIR_OIDC_ROLE_CLAIM',
    schema: z.string().min(1).max(200),
    initial: { value: 'roles' },
    meaning:
      'The claim that has the roles of an account, one or a list; a dot leads into an object, as in `realm_access.roles`.',
  },
  oidcAdminRole: {
    variable: 'ONAIR_OIDC_ADMIN_ROLE',
    schema: z.string().min(1).max(200),
    initial: { words: 'none: nobody is an Administrator by the provider' },
    meaning: 'The value of that claim that makes a System Administrator.',
  },
  oidcOperatorRole: {
    variable: 'ONAIR_OIDC_OPERATOR_ROLE',
    schema: z.string().min(1).max(200),
    initial: { words: 'none: nobody is an Operator by the provider' },
    meaning: 'The value of that claim that makes an Operator. One of the two roles is needed with the issuer.',
  },
  oauthIssuer: {
    variable: 'ONAIR_OAUTH_ISSUER',
    schema: z.string().refine(isIssuer, `must be ${AN_ISSUER}`),
    takes: AN_ISSUER,
    initial: { words: 'none: this server gives access itself' },
    meaning:
      'The authorization server that gives assistants their access to `/mcp` in place of this one ([server.md](server.md)). Its tokens are for `<ONAIR_PUBLIC_URL>/mcp`, which must be set too.',
  },
} as const;

/** The tokens of a sign-in come from the issuer, so that plain http is for this machine alone. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash } = new URL(text);
  if (search !== '' || hash !== '') return false;
  const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127\./u.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isHere);
}
