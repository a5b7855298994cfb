/** The cloud platform for control: one link for each Cloud account. */
import { createHash } from 'node:crypto';
import type { CloudNetwork } from '../../domain/ports/device-link.ts';
import { CloudLink, type CloudLinkOptions } from './link.ts';

export function cloudNetwork(cloudUrl: string, log: CloudLinkOptions['log']): CloudNetwork {
  return {
    connect({ id, created_at, password }) {
      // The account's row exists in this service alone, and as long as its runs do.
      const owner = createHash('sha256').update(`${created_at} ${id}`).digest('hex').slice(0, 12);
      return new CloudLink({ cloudUrl, password, owner, log });
    },
  };
}
