/** The address of a source as people may read it. */
import type { Channel } from './channel.ts';
import { maskUrl } from '../../base/schema.ts';

/** Secrets are masked; undefined for a source without an address of its own. */
export function addressOf({ settings }: Pick<Channel, 'settings'>): string | undefined {
  const { url, host, port } = settings;
  if (url !== undefined) return maskUrl(url);
  return host === undefined || port === undefined ? undefined : `${host}:${port}`;
}
