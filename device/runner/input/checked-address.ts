/**
 * Checks addresses that ffmpeg connects to by itself before each start of it. Web addresses need no more than that: they go by WebProxy.
 */
import { isIP } from 'node:net';
import { NetworkRefusal, type Reach } from '../../../domain/networks.ts';
import type { SourceSpec } from '../../../domain/run.ts';
import type { Attempt, AttemptHooks } from '../outputs/destination-path.ts';

/**
 * Resolves with the source, a checked address in the place of a name where its protocol needs none. RTMP says the name to the server, so
 * ffmpeg resolves it once more. Rejects with NetworkRefusal.
 */
export async function reachedSource(source: SourceSpec, reach: Reach): Promise<SourceSpec> {
  const { type, settings } = source;
  if (type === 'SRT' && settings.mode !== 'listener')
    return { ...source, settings: { ...settings, host: await checked(settings.host!, reach) } };
  if (type !== 'Stream' || settings.url === undefined) return source;
  const { protocol, hostname } = new URL(settings.url);
  if (protocol === 'http:' || protocol === 'https:') reach.assertHost(hostname);
  else await checked(hostname, reach);
  return source;
}

/** An address of the host; the host itself when it cannot be resolved, for ffmpeg has the words for that. Rejects with NetworkRefusal. */
async function checked(host: string, reach: Reach): Promise<string> {
  try {
    return (await reach.resolve(host)).address;
  } catch (error) {
    if (error instanceof NetworkRefusal) throw error;
    return host;
  }
}

/** Begins once the host of `url` is known to be one that may be reached. Throws NetworkRefusal for an address that is not. */
export function beginReached(
  url: string,
  reach: Reach,
  begin: (address: string) => Attempt,
  hooks: AttemptHooks,
): Attempt {
  const host = new URL(url).hostname.replace(/^\[|\]$/gu, '');
  reach.assertHost(host);
  if (isIP(host) !== 0) return begin(host);
  let attempt: Attempt | undefined;
  let isOver = false;
  const start = async (): Promise<void> => {
    try {
      const address = await checked(host, reach);
      if (!isOver) attempt = begin(address);
    } catch (error) {
      if (!isOver) hooks.onDown((error as Error).message, error instanceof TypeError);
    }
  };
  void start();
  return {
    async end() {
      isOver = true;
      await attempt?.end();
    },
  };
}
