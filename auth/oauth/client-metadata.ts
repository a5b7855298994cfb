/** A program's own words about itself, when it registers (RFC 7591) or in its client id metadata document. */
import { z } from 'zod/v3';
import { MAX_CLIENT_NAME, MAX_REDIRECTS } from '../../domain/shapes/installation/oauth.ts';
import { stripInvisible } from '../../toolkit/output/visible.ts';
import { redirectIssue } from './redirects.ts';
import { refusal } from './refusals.ts';

/** A program that may ask people for access. */
export interface OAuthClient {
  id: string;
  /** As it calls itself: anybody may call himself so. */
  name: string;
  redirectUris: readonly string[];
  /** The host whose document says all this; left out for a program that has registered itself. */
  documentHost?: string;
}

/** Other members are for other servers, or are replaced by what this one does (RFC 7591 §2): the answer says so. */
const metadata = z.object({
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECTS),
  client_name: z.string().max(10_000).optional(),
  grant_types: z.array(z.string()).max(20).optional(),
  response_types: z.array(z.string()).max(20).optional(),
});

export type ClientMetadata = Pick<OAuthClient, 'name' | 'redirectUris'>;

/** Throws AppError with the word of RFC 7591 for what cannot be registered. */
export function readMetadata(sent: unknown): ClientMetadata {
  const parsed = metadata.safeParse(sent);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path[0] ?? 'the metadata';
    const word = field === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata';
    throw refusal(word, `${field}: ${issue?.message ?? 'is not valid'}. Send redirect_uris, 1 to ${MAX_REDIRECTS}.`);
  }
  const { redirect_uris: redirectUris, client_name, grant_types, response_types } = parsed.data;
  for (const uri of redirectUris) {
    const issue = redirectIssue(uri);
    if (issue !== undefined) throw refusal('invalid_redirect_uri', `${JSON.stringify(uri.slice(0, 200))} ${issue}.`);
  }
  if (grant_types !== undefined && !grant_types.includes('authorization_code'))
    throw refusal('invalid_client_metadata', 'grant_types must include authorization_code.');
  if (response_types !== undefined && !response_types.includes('code'))
    throw refusal('invalid_client_metadata', 'response_types must include code.');
  return { name: shownName(client_name) || hostOf(redirectUris[0]!), redirectUris };
}

/** One line that looks as it is: it stands on the consent page, in lists and in the audit. */
function shownName(name = ''): string {
  return [...stripInvisible(name).replace(/\s+/gu, ' ').trim()].slice(0, MAX_CLIENT_NAME / 2).join('');
}

function hostOf(uri: string): string {
  const { host, protocol } = new URL(uri);
  return (host || protocol).slice(0, MAX_CLIENT_NAME);
}
