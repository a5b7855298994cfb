/** The texts of codes and tokens. Each has 256 random bits of its own, and only hashes are stored. */
import { createHash, randomBytes } from 'node:crypto';
import { hashToken } from '../../domain/shapes/installation/security.ts';

const SECRET = '[\\w-]{43}';
const REFRESH = new RegExp(`^onair_refresh_([\\da-f]{1,64})_(${SECRET})_(${SECRET})$`, 'u');
const VERIFIER = /^[\w\-.~]{43,128}$/u;
const CHALLENGE = /^[\w-]{43}$/u;

export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The form of an API token, so that whoever looks for leaked tokens finds it. */
export function accessToken(kid: string): { token: string; hash: string } {
  const token = `onair_${kid}_${randomSecret()}`;
  return { token, hash: hashToken(token) };
}

/**
 * A refresh token has a part that all of its row share, and one of its own. So a former one is known for what it is, though no list of
 * former ones is kept, and nobody can revoke a row by a text of his own making.
 */
export interface RefreshToken {
  kid: string;
  family: string;
  own: string;
}

export function refreshText({ kid, family, own }: RefreshToken): string {
  return `onair_refresh_${kid}_${family}_${own}`;
}

export function readRefreshToken(text: string): RefreshToken | undefined {
  const [, kid, family, own] = REFRESH.exec(text) ?? [];
  return kid === undefined || family === undefined || own === undefined ? undefined : { kid, family, own };
}

/** PKCE by S256 (RFC 7636 §4.6). */
export function isChallenge(text: string): boolean {
  return CHALLENGE.test(text);
}

export function fitsChallenge(verifier: string, challenge: string): boolean {
  return VERIFIER.test(verifier) && createHash('sha256').update(verifier).digest('base64url') === challenge;
}
