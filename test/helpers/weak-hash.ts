import { scryptSync } from 'node:crypto';

const SALT = Buffer.from('SodiumChloride');

/** Hash of a password at a cost that a hundred sign-ins do not feel; the cost stands in the hash, as in those of an old installation. */
export function weakHashOf(password: string): string {
  const key = scryptSync(password, SALT, 32, { N: 1024, r: 8, p: 1 });
  return `scrypt$1024$8$1$${SALT.toString('base64url')}$${key.toString('base64url')}`;
}
