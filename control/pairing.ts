/** Pairing with a Device on another machine. */
import type { Control } from '../domain/control.ts';
import type { DeviceNetwork } from '../domain/device-link.ts';
import type { Log } from '../domain/log.ts';

export function pairDeviceOver(network: DeviceNetwork, log: Log): Control['pairDevice'] {
  return async (address, credentials) => {
    const key = await network.pair(address, credentials);
    return { key, undo: () => undoPairing(network, address, key, log) };
  };
}

/** Best effort: an agent that cannot be reached stays paired, with a key that nobody has, until it is unpaired by hand. */
async function undoPairing(network: DeviceNetwork, address: string, key: string, log: Log): Promise<void> {
  const link = network.connect(address, key);
  try {
    await link.unpair();
  } catch (error) {
    log.warn({ err: error, address }, 'A pairing could not be undone; run `onair device unpair` on that machine.');
  } finally {
    link.close?.();
  }
}
