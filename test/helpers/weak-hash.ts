import { scryptSync } from 'node:crypto';
import { PASSWORD_COST, setPasswordCost } from '../../toolkit/passwords.ts';

const SALT = Buffer.from('SodiumChloride');

const WEAK = { n: 1024, blockSize: 8, parallel: 1 };

/** Hash of a password at a cost that a hundred sign-ins do not feel; the cost stands in the hash, as in those of an old installation. */
export function weakHashOf(password: string): string {
  const { n, blockSize: r, parallel: p } = WEAK;
  const key = scryptSync(password, SALT, 32, { N: n, r, p });
  return `scrypt$${n}$${r}$${p}$${SALT.toString('base64url')}$${key.toString('base64url')}`;
}

/** Passwords of this process cost next to nothing from now on. */
export function weakenPasswords(): void {
  setPasswordCost(WEAK);
}

/** A task with the cost that passwords have in earnest. */
export async function withRealPasswords(task: () => Promise<void>): Promise<void> {
  setPasswordCost(PASSWORD_COST);
  await task().finally(weakenPasswords);
}
