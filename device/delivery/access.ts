/**
 * Who may watch what a Destination keeps: a key beside its media, or none for what is public. Whoever serves the folder finds it
 * there, the agent and the control plane alike, and the one that writes the media writes it first.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { judgePlaybackToken } from '../../domain/playback.ts';
import { writeAtomic } from '../atomic-file.ts';

/** A name that is never served: it begins with a dot. */
const KEY_FILE = '.playback.key';

/** Call it before the first media file of a folder is written. `key`: base64url; undefined: everybody may watch. Throws what the filesystem says. */
export function writeAccess(dir: string, key: string | undefined): void {
  mkdirSync(dir, { recursive: true });
  if (key === undefined) rmSync(join(dir, KEY_FILE), { force: true });
  else writeAtomic(join(dir, KEY_FILE), key);
}

export type Refusal = 'missing' | 'wrong' | 'expired';
/** open: public; tokened: let in by its token. */
export type Access = 'open' | 'tokened' | Refusal;

/** `path`: what tokens are signed for. Rejects with what the filesystem says: a key that cannot be read lets nobody in. */
export async function accessOf(dir: string, path: string, token: string | null, nowMs: number): Promise<Access> {
  let key: string;
  try {
    key = await readFile(join(dir, KEY_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'open';
    throw error;
  }
  if (token === null) return 'missing';
  const verdict = judgePlaybackToken(key, path, token, nowMs);
  return verdict === 'good' ? 'tokened' : verdict;
}
