import * as crypto from 'node:crypto';
import { z } from 'zod/v3';
import { idField, instantField } from '../../base/schema.ts';
import type { OAuthGrant } from './oauth.ts';

/** user_role: 1 System Administrator, 2 Operator. */
export const ROLE = { admin: 1, operator: 2 } as const;
export type Role = 1 | 2;

/** The tool profiles, from the narrowest to the widest. */
export const PROFILE_NAMES = ['voice', 'readonly', 'operator', 'full'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

/** The scopes of OAuth, one for each profile. */
export const OAUTH_SCOPES: Readonly<Record<ProfileName, string>> = {
  voice: 'onair:voice',
  readonly: 'onair:read',
  operator: 'onair:operate',
  full: 'onair:full',
};

/** There are fewer operations and workflows. */
const MAX_OPERATIONS = 500;
const profileOfToken = z.enum(PROFILE_NAMES);
const operationsOfToken = z.array(z.string().trim().min(1).max(100)).min(1).max(MAX_OPERATIONS);

/** The limits of a token as they are asked for: both must allow a call. */
export const scopeFields = {
  profile: profileOfToken
    .optional()
    .describe('It allows only what this tool profile does; left out: what the role may.'),
  operations: operationsOfToken
    .optional()
    .describe('It allows only these operationIds; a workflow needs those that it performs. Left out: all.'),
};

export const tokenNameField = z.string().trim().min(1).max(100).describe('What the token is for, 1-100 characters.');

export const tokenOutput = z
  .object({
    id: idField,
    kid: z.string().describe('Key identifier, used to revoke the token.'),
    name: tokenNameField,
    created_at: instantField,
    expires_at: instantField.nullable().describe('When it stops working; null = never.'),
    profile: profileOfToken.nullable().describe('Tool profile that it is limited to; null = none.'),
    operations: operationsOfToken.nullable().describe('Operations that it is limited to; null = all.'),
  })
  .strict();

/** The limits of a token beside the role of its user. A token without limits has no scope. */
export interface TokenScope {
  readonly profile: ProfileName | null;
  readonly operations: readonly string[] | null;
}

/** Only the hash of the secret is stored. */
export interface ApiToken {
  id: number;
  created_at: string;
  updated_at: string;
  kid: string;
  name: string;
  userId: number;
  token_hash: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** Both limits are left out of rows that were written before there were any. */
  profile?: ProfileName | null;
  operations?: readonly string[] | null;
  /** Set for one that an assistant got by OAuth, which is good for MCP alone. */
  oauth?: OAuthGrant;
}

/** A sign-in of a person. Only the hash of the cookie's value is stored. */
export interface Session {
  id: number;
  created_at: string;
  updated_at: string;
  token_hash: string;
  userId: number;
  expires_at: string;
  /** The identity provider has let its user in; left out: a password. */
  by_provider?: true;
  /** When the audit last had an entry of its renewal; left out until then. */
  renewal_noted_at?: string;
}

/** Remembers that somebody has signed in from somewhere; a hash of both is stored. */
export interface KnownSignIn {
  id: number;
  pair_hash: string;
  last_at: string;
}

/** The ways that a call may come by; `oauth` is MCP by an assistant that OAuth let in. */
export const VIAS = ['rest', 'mcp', 'cli', 'ui', 'schedule', 'oauth'] as const;
export type Via = (typeof VIAS)[number];

/** The caller: a user behind a token, a session or a Schedule. */
export interface Caller {
  userId: number;
  username: string;
  role: Role;
  /** Whether the user's profile allows issuing tokens. */
  api: boolean;
  /** null for a session and for a Schedule. */
  tokenKid: string | null;
  /** The limits of its token; left out: there are none. */
  scope?: TokenScope | undefined;
  /** The session of a person who signed in. */
  sessionId?: number;
  /** Name of the assistant that OAuth let in. */
  client?: string | undefined;
  /** Seals stored answers that hold a secret; derived from the credential that was presented, never stored. */
  sealKey: Buffer;
}

export interface AuditEntry {
  id: number;
  at: string;
  user: string;
  token_kid: string | null;
  via: Via;
  operation: string;
  resource: string;
  resource_id: number | null;
  outcome: string;
  request_id: string;
  changed: string[];
  /** Name of the assistant that OAuth let in; left out for others. */
  client?: string;
  /** 1 when left out; more where refused calls were only counted. */
  count?: number;
}

export interface IdempotencyEntry {
  id: number;
  /** user id, operation and the hash of the key, in one string. */
  key: string;
  args_hash: string;
  status: number;
  /** The answer as JSON; sealed (AES-256-GCM, base64) when it holds a secret. */
  answer: string;
  sealed: boolean;
  /** Version of the answered resource, from which a retry gets its ETag. */
  version?: number;
  expires_at: string;
}

/**
 * SHA-256, base64url: a token has 256 bits of its own, so a slow hash would add nothing. Every call of every API comes here, and a Hash
 * object is expensive to collect; where Node (20.12) can hash without one, it does.
 */
export function hashToken(token: string): string {
  if (typeof crypto.hash === 'function') return crypto.hash('sha256', token, 'base64url');
  return crypto.createHash('sha256').update(token).digest('base64url');
}
