/** Rows of OAuth 2.1: programs that have registered, codes that wait for their exchange, and what an API token is by it. */
import { z } from 'zod/v3';
import { idField, instantField } from '../../base/schema.ts';

/** RFC 7591 has no bounds; a program that people use has one to three addresses, of a hundred characters. */
export const MAX_REDIRECTS = 10;
export const MAX_REDIRECT_LENGTH = 1000;
export const MAX_CLIENT_ID = 1000;
/** That of the name of an API token. */
export const MAX_CLIENT_NAME = 100;

const hash = z.string().min(1);
const clientFields = { client_id: z.string().min(1).max(MAX_CLIENT_ID), client_name: z.string().max(MAX_CLIENT_NAME) };
const redirectUri = z.string().min(1).max(MAX_REDIRECT_LENGTH);

const oauthClientRow = z
  .object({
    id: idField,
    created_at: instantField,
    ...clientFields,
    redirect_uris: z.array(redirectUri).min(1).max(MAX_REDIRECTS),
    keep_until: instantField,
  })
  .strict();
/** A program that has registered itself. One that nobody has connected, or that has not been connected for long, is forgotten. */
export type OAuthClientRow = z.infer<typeof oauthClientRow>;

const oauthCodeRow = z
  .object({
    id: idField,
    code_hash: hash,
    expires_at: instantField,
    userId: idField,
    ...clientFields,
    redirect_uri: redirectUri,
    challenge: z.string(),
    profile: z.enum(['voice', 'readonly', 'operator', 'full']),
    operations: z.array(z.string()).nullable(),
    ends_at: instantField.nullable(),
    tokenId: idField.nullable(),
  })
  .strict();
/** The consent of a person, until the program fetches its tokens. `tokenId` is what it got: a code counts once. */
export type OAuthCodeRow = z.infer<typeof oauthCodeRow>;

export const oauthRows = { oauthClients: oauthClientRow, oauthCodes: oauthCodeRow };
export interface OAuthRows {
  oauthClients: OAuthClientRow;
  oauthCodes: OAuthCodeRow;
}

export const oauthGrant = z
  .object({
    ...clientFields,
    redirect_host: z.string(),
    /** The hash of the part that all refresh tokens of the row share. */
    family_hash: hash,
    /** The hash of the part that the present one has alone. */
    refresh_hash: hash,
    access_expires_at: instantField,
    /** The end that was chosen on the consent page; null: it ends 30 days after the last refresh. */
    ends_at: instantField.nullable(),
    last_used_at: instantField,
    /** The authorization server of the deployment that gives the access tokens; left out: this server does. */
    issuer: z.string().min(1).optional(),
  })
  .strict();
/** The part of an API token that an assistant got by OAuth. The row stays the same over refreshes, its `token_hash` does not. */
export type OAuthGrant = z.infer<typeof oauthGrant>;

export const tokenClientOutput = z
  .object({
    client_id: z.string().describe('Identifier of the assistant.'),
    client_name: z.string().describe('Its name, as it says itself.'),
    redirect_host: z.string().describe('Host that it is reached at; for a program of a computer the scheme.'),
    scope: z.string().describe('OAuth scope, one a tool profile.'),
    username: z.string().describe('Name of the user who connected it.'),
    last_used_at: instantField.describe('When it called last, to ten minutes.'),
  })
  .strict();
