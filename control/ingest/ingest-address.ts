/** The address that is typed into the encoder that pushes a Channel. */
import type { Channel } from '../../domain/shapes/sources/channel.ts';
import type { IngestAddress } from '../../domain/shapes/sources/ingest.ts';
import { rtmpPort } from '../../domain/network/rtmp-address.ts';
import { maskSecret } from '../../domain/base/schema.ts';
import { CHANNEL_ROWS } from '../../domain/types/channel-types.ts';

const LOOPBACK = /^(?:localhost$|127\.|::1$|\[::1\]$)/u;

/**
 * With a base for a router in between, its host and its path count, and its port where it names one. The key is the last part of an RTMP
 * address, as servers call it "server" and "stream key" together.
 */
export function ingestUrl(
  channel: Readonly<Channel>,
  address: IngestAddress | undefined,
  secrets: 'masked' | 'whole',
): string {
  const { type, settings } = channel;
  const shown = (secret: string): string => (secrets === 'whole' ? encodeURIComponent(secret) : maskSecret(secret));
  const base = address?.url == null || !URL.canParse(address.url) ? undefined : new URL(address.url);
  const isSecure = settings.tls === true;
  const ownHost = (isSecure ? address?.secureHost : undefined) ?? address?.publicHost ?? '127.0.0.1';
  const host = base?.hostname ?? bracketed(ownHost);
  if (CHANNEL_ROWS[type].pushed?.protocol === 'srt') {
    const id = settings.streamid === undefined ? '' : `?streamid=${shown(settings.streamid)}`;
    return `srt://${host}:${settings.port}${id}`;
  }
  // The port of a router is one of RTMP or of RTMPS.
  const isOfBase = base !== undefined && base.port !== '' && (base.protocol === 'rtmps:') === isSecure;
  const port = isOfBase ? Number(base.port) : rtmpPort(settings);
  const [scheme, usual] = isSecure ? ['rtmps', 443] : ['rtmp', 1935];
  return `${scheme}://${host}${port === usual ? '' : `:${port}`}/${settings.app}/${shown(settings.stream_key ?? '')}`;
}

/** Says when an encoder on another machine cannot reach the listener; null when it can. `ownHost` is that of the Channel. */
export function reachNote({ host, url }: IngestAddress, ownHost = host): string | null {
  if (!LOOPBACK.test(ownHost) || url !== null) return null;
  return 'Only encoders on this machine reach it: the Device listens on loopback. ONAIR_INGEST_HOST=0.0.0.0 opens it.';
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
