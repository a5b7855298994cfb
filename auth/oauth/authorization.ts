/** The authorization request: what a program asks a person for, checked before the person sees it. */
import type { ProfileName } from '../../domain/shapes/installation/security.ts';
import type { OAuthClient } from './client-metadata.ts';
import type { OAuthClients } from './clients.ts';
import { isRegistered } from './redirects.ts';
import { refusal } from './refusals.ts';
import { requestedProfiles } from './scopes.ts';
import { isChallenge } from './secrets.ts';

/** The place that an answer may go to: only once this is known does a refusal go there too. */
export interface AuthorizationTarget {
  client: OAuthClient;
  redirectUri: string;
  /** The program's own text, which comes back with the answer. */
  state: string | undefined;
}

export interface AuthorizationRequest {
  challenge: string;
  profiles: readonly ProfileName[];
}

/** Rejects with AppError for what a person must see, because the address that it would be sent to is not that of the program. */
export async function readTarget(query: URLSearchParams, clients: OAuthClients): Promise<AuthorizationTarget> {
  const [clientId, redirectUri] = [once(query, 'client_id'), once(query, 'redirect_uri')];
  if (clientId === undefined || redirectUri === undefined)
    throw refusal('invalid_request', 'client_id and redirect_uri are needed, each once.');
  const client = await clients.get(clientId);
  if (!isRegistered(redirectUri, client.redirectUris))
    throw refusal(
      'invalid_request',
      `The address ${JSON.stringify(redirectUri.slice(0, 200))} is none that the program has registered.`,
    );
  return { client, redirectUri, state: query.get('state') ?? undefined };
}

/** Throws AppError with the word that the program gets. `resource` is the one that this server gives access to. */
export function readAuthorization(query: URLSearchParams, resource: string): AuthorizationRequest {
  for (const name of new Set(query.keys()))
    if (name !== 'resource' && query.getAll(name).length > 1)
      throw refusal('invalid_request', `${JSON.stringify(name.slice(0, 100))} stands there more than once.`);
  if (query.get('response_type') !== 'code')
    throw refusal('unsupported_response_type', 'The response_type of this server is code.');
  if (!['query', null].includes(query.get('response_mode')))
    throw refusal('invalid_request', 'The response_mode of this server is query.');
  const challenge = query.get('code_challenge') ?? '';
  if (query.get('code_challenge_method') !== 'S256' || !isChallenge(challenge))
    throw refusal('invalid_request', 'A code_challenge by the code_challenge_method S256 is needed (PKCE).');
  assertResource(query, resource);
  return { challenge, profiles: requestedProfiles(query.get('scope') ?? undefined) };
}

/** Throws AppError invalid_target where access to another resource is asked for (RFC 8707). */
export function assertResource(query: URLSearchParams, resource: string): void {
  const wrong = query.getAll('resource').find((each) => !isSame(each, resource));
  if (wrong === undefined) return;
  throw refusal(
    'invalid_target',
    `This server gives access to ${resource}, not to ${JSON.stringify(wrong.slice(0, 200))}.`,
  );
}

/** Scheme and host may be written in any case, and clients add a slash. */
function isSame(one: string, resource: string): boolean {
  const plain = (text: string): string => (URL.canParse(text) ? new URL(text).href.replace(/\/$/u, '') : '');
  return plain(one) === plain(resource);
}

function once(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name);
  return value === '' || more.length > 0 ? undefined : value;
}
