/** The part of a server that Devices dial, over a store of its own: the real port, the real rows, and no API. */
import type { TestContext } from 'node:test';
import type { KnownDevice } from '../../control/device-registry.ts';
import { Machines } from '../../control/devices/machines.ts';
import { DeviceOwners } from '../../control/devices/device-owners.ts';
import { DialIns } from '../../control/devices/dial-ins.ts';
import { openDialIn } from '../../device/link/client.ts';
import { newJoinToken } from '../../domain/shapes/sources/channel-key.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { DialledLink } from '../../domain/ports/device-link.ts';
import { LONE_MEMBER } from '../../domain/shapes/devices/device-owner.ts';
import type { JoinToken } from '../../domain/shapes/devices/join-token.ts';
import type { Log } from '../../domain/base/log.ts';
import type { Store } from '../../domain/ports/store.ts';
import { openStore } from '../../store/open.ts';
import { cleanUp } from './clean-up.ts';
import { FakeClock } from './fake-clock.ts';
import { testFolder } from './test-folder.ts';

export interface DialledServer {
  port: number;
  store: Store;
  clock: FakeClock;
  /** Makes a token and answers its text. */
  token(fields?: Partial<JoinToken>): Promise<{ token: string; id: number }>;
  /** The newest link of each Device. */
  links: Map<number, DialledLink>;
  logged: { message: string; facts: object }[];
  close(): Promise<void>;
}

export async function dialledServer(t: TestContext, port = 0): Promise<DialledServer> {
  const clock = new FakeClock();
  const store = await openStore({ dir: '', clock, kind: 'memory' });
  const logged: DialledServer['logged'] = [];
  const keep = (facts: object, message: string): void => void logged.push({ facts, message });
  const log: Log = { info: keep, warn: keep, error: keep };
  const owners = new DeviceOwners({
    store,
    clock,
    log,
    memberId: LONE_MEMBER,
    address: () => null,
    onAccepted: () => undefined,
  });
  const links = new Map<number, DialledLink>();
  const known = (id: number): KnownDevice | undefined => {
    const link = links.get(id);
    return link && { id, link, isOwn: true, online: true, mediaUrl: null };
  };
  const presence = { isHeard: ({ id }: { id: number }) => links.has(id) };
  const machines = new Machines({ store, clock, log, registry: { get: known }, presence });
  const attachments = {
    channelTo: () => undefined,
    onDialled: async (row: Readonly<Device>, key: string, link: DialledLink): Promise<void> => {
      const { id } = row;
      const machine = await machines.admitted(row, key, link);
      if (machine === undefined || (await owners.claim(id, link, { machine })) === undefined) return link.close();
      links.set(id, link);
      link.onClose(() => links.get(id) === link && links.delete(id));
    },
  };
  const devices = new DialIns({
    store,
    clock,
    log,
    attachments,
    heard: { follow: (out) => out.destroy() },
    memberKey: undefined,
  });
  await devices.load();
  const dialIn = await openDialIn({ host: '127.0.0.1', port, devices, log, dir: testFolder(t, 'transfers') });
  const close = async (): Promise<void> => {
    await dialIn.close();
    devices.close();
  };
  cleanUp(t, close);
  return {
    port: Number(dialIn.address.split(':').at(-1)),
    store,
    clock,
    links,
    logged,
    close,
    async token(fields = {}) {
      const { token, kid, key } = newJoinToken();
      const now = new Date(clock.now()).toISOString();
      const expires_at = new Date(clock.now() + 86_400_000).toISOString();
      const shown = { kid, name: 'test', idEncoderGroup: null, type: 'standalone', max_uses: 1, used: 0 } as const;
      const row = {
        ...shown,
        created_at: now,
        updated_at: now,
        expires_at,
        join_key: key,
        revoked_at: null,
        ...fields,
      };
      const { id } = await store.tx((tx) => tx.insert('joinTokens', row));
      return { token, id };
    },
  };
}
