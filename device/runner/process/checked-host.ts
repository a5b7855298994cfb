/** Names of hosts that ffmpeg would resolve by itself are checked, and resolved, before each start of it. */
import { NetworkRefusal, type Reach } from '../../../domain/network/networks.ts';

/** Returns an address of the host; the host itself when it cannot be resolved, since ffmpeg has the words for that. Rejects with NetworkRefusal. */
export async function checkedAddress(host: string, reach: Reach): Promise<string> {
  try {
    return (await reach.resolve(host)).address;
  } catch (error) {
    if (error instanceof NetworkRefusal) throw error;
    return host;
  }
}
