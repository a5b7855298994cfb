/**
 * The right to watch a Destination: a key beside its media, or no key for a public one. The agent and the control plane both serve the
 * folder and find the key there; the runner writes it before the media.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkPlaybackToken } from '../../domain/shapes/destinations/playback.ts';
import { writeAtomic } from '../atomic-file.ts';

/** The name begins with a dot, so it is never served. */
export const KEY_FILE = '.playback.key';

/**
 * It is called before the first media file of a folder is written. `key` is base64url; without one everybody may watch. Throws the error of
 * the filesystem.
 */
export function writeAccess(dir: string, key: string | undefined): void {
  mkdirSync(dir, { recursive: true });
  if (key === undefined) rmSync(join(dir, KEY_FILE), { force: true });
  else writeAtomic(join(dir, KEY_FILE), key);
}

export type Refusal = 'missing' | 'wrong' | 'expired';
/** `open` is public, `tokened` is let in by its token. */
export type Access = 'open' | 'tokened' | Refusal;

/** Returns the key, undefined where everybody may watch. Throws the error of the filesystem: a key that cannot be read lets nobody in. */
export function readAccessKey(dir: string): string | undefined {
  try {
    return readFileSync(join(dir, KEY_FILE), 'utf8');
  } catch (error) {
    return openWhenMissing(error);
  }
}

/** Tokens are signed for `path`. Rejects with the error of the filesystem: a key that cannot be read lets nobody in. */
export async function accessOf(dir: string, path: string, token: string | null, nowMs: number): Promise<Access> {
  return accessBy(await readFile(join(dir, KEY_FILE), 'utf8').catch(openWhenMissing), path, token, nowMs);
}

export function accessBy(key: string | undefined, path: string, token: string | null, nowMs: number): Access {
  if (key === undefined) return 'open';
  if (token === null) return 'missing';
  const result = checkPlaybackToken(key, path, token, nowMs);
  return result === 'good' ? 'tokened' : result;
}

function openWhenMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
