import type { z } from 'zod/v3';
import type { tokenClientOutput } from '../../shapes/installation/oauth.ts';
import { OAUTH_SCOPES, type ApiToken } from '../../shapes/installation/security.ts';

/** The assistant that a person connected by OAuth; null for other tokens. */
function clientOf({ oauth, profile }: Readonly<ApiToken>, username: string): z.infer<typeof tokenClientOutput> | null {
  if (oauth === undefined) return null;
  const { client_id, client_name, redirect_host, last_used_at } = oauth;
  return { client_id, client_name, redirect_host, scope: OAUTH_SCOPES[profile ?? 'full'], username, last_used_at };
}

/** A token as lists answer it, without its hash. */
export function presentToken(token: Readonly<ApiToken>, username: string) {
  const { id, kid, name, created_at, expires_at, profile = null, operations = null } = token;
  const limits = { profile, operations: operations === null ? null : [...operations] };
  return { id, kid, name, created_at, expires_at, ...limits, client: clientOf(token, username) };
}
