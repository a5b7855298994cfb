/** An attempt that begins once the host of its URL is known to be one that may be reached. */
import { isIP } from 'node:net';
import { bareHost, type Reach } from '../../../domain/network/networks.ts';
import { checkedAddress } from '../process/checked-host.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';

/** `begin` gets an address of the host. Throws NetworkRefusal for an address that may not be reached. */
export function beginChecked(
  url: string,
  reach: Reach,
  begin: (address: string) => Attempt,
  hooks: AttemptHooks,
): Attempt {
  const host = bareHost(new URL(url).hostname);
  reach.assertHost(host);
  if (isIP(host) !== 0) return begin(host);
  let attempt: Attempt | undefined;
  let isOver = false;
  const start = async (): Promise<void> => {
    try {
      const address = await checkedAddress(host, reach);
      if (!isOver) attempt = begin(address);
    } catch (error) {
      if (!isOver) hooks.onDown((error as Error).message, error instanceof TypeError);
    }
  };
  void start();
  return {
    cut() {
      isOver = true;
      attempt?.cut?.();
    },
    async end() {
      isOver = true;
      await attempt?.end();
    },
  };
}
