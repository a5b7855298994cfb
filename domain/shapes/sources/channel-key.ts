/** The names by which the two ends of a channel know its key; none of them tells anything of the key. */
import { createHash, hkdfSync, randomBytes } from 'node:crypto';

/** Names the lasting key of a Device, which is in base64url. */
export function keyIdentity(key: string): string {
  const digest = createHash('sha256').update('onair device ').update(Buffer.from(key, 'base64url')).digest('hex');
  return `key:${digest.slice(0, 16)}`;
}

/** Names the key that the servers of one store have in common, in base64url. */
export function memberIdentity(key: string): string {
  return `member:${keyIdentity(key)}`;
}

export function joinIdentity(kid: string): string {
  return `join:${kid}`;
}

/** A key has 256 bits, in base64url. */
export function newChannelKey(): string {
  return randomBytes(32).toString('base64url');
}

const JOIN_TOKEN = /^onairjoin_([0-9a-f]{12})_([\w-]{43})$/u;

/** 256 random bits behind their key identifier. */
export function newJoinToken(): { token: string; kid: string; key: string } {
  const kid = randomBytes(6).toString('hex');
  const token = `onairjoin_${kid}_${newChannelKey()}`;
  return { token, kid, key: joinKey(token, kid) };
}

/** Undefined when the text is no join token. */
export function parseJoinToken(text: string): { kid: string; key: string } | undefined {
  const token = text.trim();
  const kid = JOIN_TOKEN.exec(token)?.[1];
  return kid === undefined ? undefined : { kid, key: joinKey(token, kid) };
}

/** The server keeps this key and not the token, so that nobody reads a token out of a store or a backup. */
function joinKey(token: string, kid: string): string {
  return Buffer.from(hkdfSync('sha256', token, kid, 'onair device join', 32)).toString('base64url');
}
