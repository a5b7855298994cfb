import { randomBytes } from 'node:crypto';
import { hashToken } from '../../domain/shapes/installation/security.ts';

export interface NewToken {
  /** The full bearer value, which is shown once and never stored. */
  token: string;
  kid: string;
  hash: string;
}

/** Makes a token: 256 random bits behind its key identifier. The word before both tells people what it is for. */
export function newToken(word: 'onair' | 'onairdisplay' = 'onair'): NewToken {
  const kid = randomBytes(6).toString('hex');
  const token = `${word}_${kid}_${randomBytes(32).toString('base64url')}`;
  return { token, kid, hash: hashToken(token) };
}
