/** Passwords as scrypt hashes (RFC 7914). The parameters stand in the string, so that they can grow without breaking old hashes. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { AppError } from '../domain/base/errors.ts';

export interface PasswordCost {
  /** CPU and memory cost, a power of two. */
  n: number;
  blockSize: number;
  parallel: number;
}

/** A hash takes 32 MB and about 0.2 s of one core: the strength of OWASP's N=2^17 p=1 with a quarter of its memory. */
export const PASSWORD_COST: PasswordCost = { n: 2 ** 15, blockSize: 8, parallel: 3 };
/** Two hashes take 64 MB and half of Node's four threads: the other half goes on writing the journal and reading files. */
const MAX_RUNNING = 2;
/** The last of them waits some 2 s. People give up a sign-in that takes longer, and repeat it. */
const MAX_WAITING = 20;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

let costOfNew = PASSWORD_COST;

/** New hashes cost this much from now on: tests that sign in by the hundred ask for less. */
export function setPasswordCost(cost: PasswordCost): void {
  costOfNew = cost;
}

/** `scrypt$N$r$p$salt$key`, salt and key in base64url. Rejects with AppError rate_limited while too many are being hashed. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const { n, blockSize, parallel } = costOfNew;
  const key = await derive(password, salt, costOfNew);
  return ['scrypt', n, blockSize, parallel, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/**
 * Takes as long for a user that does not exist (`stored` undefined), or has no password, as for one that does. Rejects with AppError
 * rate_limited while too many are being checked.
 */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const known = stored === undefined ? undefined : parse(stored);
  if (known === undefined) {
    await derive(password, Buffer.alloc(SALT_BYTES), costOfNew);
    return false;
  }
  return timingSafeEqual(await derive(password, known.salt, known.cost), known.key);
}

function parse(stored: string): { cost: PasswordCost; salt: Buffer; key: Buffer } | undefined {
  const match = /^scrypt\$(\d{1,8})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]{43})$/u.exec(stored);
  if (match === null) return undefined;
  const [, n, blockSize, parallel, salt = '', key = ''] = match;
  return {
    cost: { n: Number(n), blockSize: Number(blockSize), parallel: Number(parallel) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  };
}

let running = 0;
const waiting: (() => void)[] = [];

/** A flood of sign-ins must take neither the memory nor all threads of the server: a few run at once, some wait, the rest is refused. */
async function derive(password: string, salt: Buffer, cost: PasswordCost): Promise<Buffer> {
  if (running < MAX_RUNNING) running += 1;
  else if (waiting.length < MAX_WAITING) await new Promise<void>((turn) => waiting.push(turn));
  else {
    throw new AppError('rate_limited', 'Too many passwords are being checked just now. Try again in a few seconds.', {
      retryAfterSeconds: 2,
    });
  }
  try {
    return await compute(password, salt, cost);
  } finally {
    // The next one takes this place directly, so that no later caller can take it in between.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

function compute(password: string, salt: Buffer, cost: PasswordCost): Promise<Buffer> {
  const options = {
    N: cost.n,
    r: cost.blockSize,
    p: cost.parallel,
    // scrypt needs 128·N·r bytes and a little; Node's own bound of 32 MB would refuse our cost.
    maxmem: 256 * cost.n * cost.blockSize,
  };
  // NFKC makes the same characters from another keyboard or system the same password.
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
