/** Links that carry the right to read in their query: HMAC-SHA256 over method, path and time of expiry. */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../domain/time/clock.ts';
import { playbackKey } from '../domain/shapes/destinations/playback.ts';
import { judgeSignature, signPath } from '../domain/network/signed-path.ts';
import type { SignedLinks } from '../domain/shapes/installation/system.ts';

export interface LinkDeps {
  dataDir: string;
  /** The key, where several servers have it in common; left out: this server's own, in its data folder. */
  linkKey?: Buffer | undefined;
  clock: Clock;
  address: { url: () => string; prefix: string };
}

const KEY_BYTES = 32;

export function signedLinks({ dataDir, linkKey, clock, address }: LinkDeps): SignedLinks {
  let cachedKey = linkKey;
  const key = (): Buffer => (cachedKey ??= keyIn(dataDir));
  return {
    sign(path, expiresAtMs) {
      const pathname = `${address.prefix}${path}`;
      const expires = String(Math.floor(expiresAtMs / 1000));
      const signature = signPath(key(), pathname, expires);
      return `${address.url().replace(/\/+$/u, '')}${pathname}?expires=${expires}&signature=${signature}`;
    },
    page: (path) => `${address.url().replace(/\/+$/u, '')}${path}`,
    isGood: (pathname, expires, signature) =>
      judgeSignature(key(), pathname, expires, signature, clock.now()) === 'good',
    playbackKey: (publishingId) => playbackKey(key(), publishingId),
  };
}

/** The key that this server has signed links with; undefined when it has signed none. */
export function formerLinkKey(dataDir: string): Buffer | undefined {
  const path = linkKeyFile(dataDir);
  try {
    return wholeKey(readFileSync(path), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

function linkKeyFile(dataDir: string): string {
  return join(dataDir, 'link.key');
}

/** The key is created at its first use and kept, so that links outlive a restart. Two processes that create one at once get the same. */
function keyIn(dataDir: string): Buffer {
  const former = formerLinkKey(dataDir);
  if (former !== undefined) return former;
  const path = linkKeyFile(dataDir);
  const temporary = `${path}.${process.pid}`;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(temporary, randomBytes(KEY_BYTES), { mode: 0o600, flush: true });
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  return wholeKey(readFileSync(path), path);
}

function wholeKey(key: Buffer, path: string): Buffer {
  if (key.length === KEY_BYTES) return key;
  throw new Error(`${path} is no key of ${KEY_BYTES} bytes. Remove it; links that were given out end with it.`);
}
