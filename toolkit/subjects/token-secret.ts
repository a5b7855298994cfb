import { randomBytes } from 'node:crypto';
import { hashToken } from '../../domain/shapes/installation/security.ts';

export interface NewToken {
  /** The full bearer value, which is shown once and never stored. */
  token: string;
  kid: string;
  hash: string;
}

/** Makes an API token: 256 random bits behind its key identifier. */
export function newToken(): NewToken {
  const kid = randomBytes(6).toString('hex');
  const token = `onair_${kid}_${randomBytes(32).toString('base64url')}`;
  return { token, kid, hash: hashToken(token) };
}
