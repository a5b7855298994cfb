/** Devices in memory behind addresses: they pair once with their credentials, and answer to who holds the key. */
import { AppError, ruleViolated } from '../../domain/base/errors.ts';
import type { DeviceNetwork, PairedLink, PairingCredentials } from '../../domain/ports/device-link.ts';
import type { FakeDevice } from './fake-device.ts';

interface Stand {
  device: FakeDevice;
  credentials: PairingCredentials;
  key: string | undefined;
  owner: number;
}

export class FakeNetwork implements DeviceNetwork {
  private readonly stands = new Map<string, Stand>();
  private keys = 0;

  /** Puts a Device up; answers what addDevice needs. */
  stand(address: string, device: FakeDevice): PairingCredentials & { ip_address: string } {
    const credentials = { register_username: 'device-1', register_password: 'canary-one-time-password' };
    this.stands.set(address, { device, credentials, key: undefined, owner: 0 });
    return { ip_address: address, ...credentials };
  }

  isPaired(address: string): boolean {
    return this.stands.get(address)?.key !== undefined;
  }

  async pair(address: string, credentials: PairingCredentials): Promise<string> {
    await Promise.resolve();
    const stand = this.stands.get(address);
    if (stand === undefined) throw new AppError('upstream_failed', `No Device agent could be reached at ${address}.`);
    if (stand.key !== undefined) throw new AppError('conflict', `The agent at ${address} is paired already.`);
    if (stand.credentials.register_password !== credentials.register_password)
      throw ruleViolated(`The agent at ${address} refused the credentials.`);
    return (stand.key = `canary-link-key-${(this.keys += 1)}`);
  }

  through(): PairedLink {
    throw new AppError('unavailable', 'There are no other servers.');
  }

  connect(address: string, key: string): PairedLink {
    const reach = async (): Promise<FakeDevice> => {
      await Promise.resolve();
      const stand = this.stands.get(address);
      if (stand?.key !== key) throw new AppError('unavailable', 'The Device agent does not answer.');
      return stand.device;
    };
    return {
      hello: async () => (await reach()).hello(),
      start: async (spec) => (await reach()).start(spec),
      stop: async (runId) => (await reach()).stop(runId),
      change: async (runId, change) => (await reach()).change(runId, change),
      preview: async (runId, width) => (await reach()).preview(runId, width),
      picture: async (runId, width) => (await reach()).picture(runId, width),
      curves: async (livestreamId, wanted) => (await reach()).curves(livestreamId, wanted),
      keptPictures: async (livestreamId, wanted) => (await reach()).keptPictures(livestreamId, wanted),
      grant: async (askedMs, runIds) => (await reach()).grant(askedMs, runIds),
      forget: async (runId) => (await reach()).forget(runId),
      ingests: async (orders) => (await reach()).ingests(orders),
      watch: (onMessage, onState) => {
        const stand = this.stands.get(address);
        if (stand?.key === key) return stand.device.watch(onMessage, onState);
        queueMicrotask(() => onState(false));
        return () => undefined;
      },
      unpair: async () => {
        await reach();
        Object.assign(this.stands.get(address)!, { key: undefined, owner: 0 });
      },
      claim: async (token) => {
        await reach();
        const stand = this.stands.get(address)!;
        if (token < stand.owner)
          throw new AppError('stale_owner', 'Another server owns the Device.', { facts: { owner: stand.owner } });
        stand.owner = token;
      },
    };
  }
}
