/**
 * Checks addresses that ffmpeg connects to by itself before each start of it. Web addresses need no more than that: they go by WebProxy. An
 * RTSP source gets the address of the relay in place of its own.
 */
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { checkedAddress } from '../process/checked-host.ts';
import type { RunNetwork } from '../process/child-processes.ts';
import { hasSetting, isPushed } from '../../../domain/types/channel-questions.ts';

/**
 * Resolves with the source, a checked address in the place of a name where its protocol needs none. RTMP says the name to the server, so
 * ffmpeg resolves it once more. Rejects with NetworkRefusal.
 */
export async function reachedSource(source: SourceSpec, { reach, rtspAddress }: RunNetwork): Promise<SourceSpec> {
  const { type, settings } = source;
  if (hasSetting(type, 'host') && !isPushed(source))
    return { ...source, settings: { ...settings, host: await checkedAddress(settings.host!, reach) } };
  if (!hasSetting(type, 'url') || settings.url === undefined) return source;
  const { protocol, hostname } = new URL(settings.url);
  if (protocol === 'rtsp:' || protocol === 'rtsps:') {
    reach.assertHost(hostname);
    return { ...source, settings: { ...settings, url: rtspAddress(settings.url, settings.transport) } };
  }
  if (protocol === 'http:' || protocol === 'https:') reach.assertHost(hostname);
  else await checkedAddress(hostname, reach);
  return source;
}
