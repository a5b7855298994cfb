/** The Devices that this server owns: each claim is a commit, a confirmation of the Device, and a commit again. */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { LONE_MEMBER, type DeviceMachine } from '../../domain/shapes/devices/device-owner.ts';
import type { PairedLink } from '../../domain/ports/device-link.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Log } from '../../domain/base/log.ts';
import { acceptDevice, claimDevice, orderedAt, type Claim } from '../../domain/rules/devices/device-owner.ts';
import { calledIn } from '../../domain/base/sentence.ts';
import type { Store } from '../../domain/ports/store.ts';

export interface DeviceOwnerDeps {
  store: Pick<Store, 'tx'>;
  clock: Clock;
  log: Log;
  /** This server among those that share the store. */
  memberId: string;
  /** host:port at which the others reach it; null where it takes none. */
  address: () => string | null;
  /** Called when the Device obeys this server and no earlier one, before that is stored: whoever reads the row finds it done. */
  onAccepted: (deviceId: number) => void;
}

/** Two servers that claim a Device at once, or a store restored from a backup, take one further claim. */
const MAX_CLAIMS = 5;
const RETRY_FIRST_MS = 100;
const RETRY_LAST_MS = 1000;

export class DeviceOwners {
  private readonly deps: DeviceOwnerDeps;
  private readonly tokens = new Map<number, number>();

  constructor(deps: DeviceOwnerDeps) {
    this.deps = deps;
  }

  /** The token with which this server owns the Device, as far as it knows; undefined when it does not. */
  tokenOf(deviceId: number): number | undefined {
    return this.tokens.get(deviceId);
  }

  release(deviceId: number): void {
    this.tokens.delete(deviceId);
  }

  /**
   * Resolves with the token once the Device has confirmed it; with undefined when another server was later, or there is no such Device.
   * Rejects with AppError unavailable or timeout when the Device does not answer; with `signal` it is asked again until that aborts.
   */
  async claim(
    deviceId: number,
    link: PairedLink,
    { machine, signal }: { machine?: DeviceMachine; signal?: AbortSignal } = {},
  ): Promise<number | undefined> {
    const { store } = this.deps;
    let above = 0;
    for (let claims = 0; claims < MAX_CLAIMS; claims += 1) {
      const claim = this.claimAbove(above);
      const claimed = await store.tx((tx) => claimDevice(tx, deviceId, claim));
      if (claimed === undefined) return undefined;
      const { token, ordered } = claimed;
      const higher = await this.confirm(link, token, ordered, signal);
      if (higher === undefined) return (await this.accept(deviceId, token, machine)) ? token : undefined;
      above = higher;
    }
    const device = await store.tx((tx) => calledIn(tx, 'Device', deviceId));
    throw new AppError('stale_owner', `Other servers claim ${device} again and again.`);
  }

  /** Tells a Device of this server, whose agent was started again perhaps, which runs are ordered there. Rejects like `claim`. */
  async tellOrdered(deviceId: number, link: PairedLink): Promise<void> {
    const token = this.tokens.get(deviceId);
    if (token === undefined) return;
    await link.claim(token, await this.deps.store.tx((tx) => orderedAt(tx, deviceId)));
  }

  /** Claims the Device of this machine, which nobody else can order anything: it is not asked. */
  async claimLocal(deviceId: number): Promise<void> {
    const { store, memberId, onAccepted } = this.deps;
    if (memberId === LONE_MEMBER) return;
    const claim = this.claimAbove(0);
    onAccepted(deviceId);
    await store.tx((tx) => {
      const claimed = claimDevice(tx, deviceId, claim);
      if (claimed !== undefined) acceptDevice(tx, deviceId, memberId, claimed.token);
    });
  }

  private claimAbove(above: number): Claim {
    const { memberId, address, clock } = this.deps;
    return { memberId, address: address(), above, now: toIso(clock.now()) };
  }

  private async accept(deviceId: number, token: number, machine: DeviceMachine | undefined): Promise<boolean> {
    const { store, memberId, onAccepted } = this.deps;
    onAccepted(deviceId);
    if (!(await store.tx((tx) => acceptDevice(tx, deviceId, memberId, token, machine)))) return false;
    this.tokens.set(deviceId, token);
    return true;
  }

  /** Resolves with undefined, or with the highest token that the Device knows where that is higher. */
  private async confirm(
    link: PairedLink,
    token: number,
    ordered: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<number | undefined> {
    for (let pauseMs = RETRY_FIRST_MS; ; pauseMs = Math.min(pauseMs * 2, RETRY_LAST_MS)) {
      try {
        await link.claim(token, ordered);
        return undefined;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const owner = error.extras.facts?.['owner'];
        if (error.code === 'stale_owner' && typeof owner === 'number') return owner;
        const isAway = error.code === 'unavailable' || error.code === 'timeout';
        if (!isAway || signal === undefined || signal.aborted) throw error;
        await this.pause(pauseMs, signal);
      }
    }
  }

  private pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.deps.clock.after(ms, end);
      signal.addEventListener('abort', end);
    });
  }
}
