/**
 * Has lost Devices cut off by the operator's own means, so that their runs need not wait until their lease has ended for certain. It is asked for
 * a Device of which each broadcast moves: what stays is nobody's to end.
 */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import type { Log } from '../../domain/base/log.ts';
import { FENCE_MS, type Fence, type FenceAnswer, type FencedDevice } from '../../domain/ports/fence.ts';
import type { Store, Tx } from '../../domain/ports/store.ts';
import { fleetHeld } from '../../domain/rules/devices/fleet-hold.ts';
import { noteFence } from '../../domain/rules/devices/fence.ts';
import { LONE_MEMBER, type DeviceOwner } from '../../domain/shapes/devices/device-owner.ts';
import { canMoveLost, type Loss } from './move-lost.ts';

export interface FencesDeps {
  store: Store;
  clock: Clock;
  steady: Pick<Clock, 'now'>;
  log: Log;
  memberId: string;
  /** undefined: the operator has none. */
  fence: Fence | undefined;
}

/** A lost Device, as it is known to the server that looks after it. */
export interface LostDevice {
  id: number;
  /** The server whose claim it has last confirmed. */
  ownerId: string;
  isOnline(tx: Tx): Loss['isOnline'];
  /** Asked once more, right before it is cut off. */
  isSilent(): boolean | Promise<boolean>;
  /** Moves its runs; `isAllowed` is asked inside that commit. */
  move(isAllowed: (owner: Readonly<DeviceOwner> | undefined) => boolean): Promise<void>;
}

/** A Device is silent for so long before it is cut off: one that changes servers needs up to seven seconds. */
export const FENCE_AFTER_MS = 7500;
/** A server that has just started has not been dialled yet. */
const START_MS = 15_000;
/** One that could not be cut off is tried again after this time. */
const AGAIN_MS = 5000;
/** The right to ask for a Device, which one of several servers has at a time: longer than an answer takes. */
const RIGHT_MS = FENCE_MS + 5000;

export class Fences {
  private readonly deps: FencesDeps;
  private readonly startedAt: number;
  private readonly asking = new Set<number>();
  private readonly askedAt = new Map<number, number>();

  constructor(deps: FencesDeps) {
    this.deps = deps;
    this.startedAt = deps.steady.now();
  }

  /** Is called again and again while the Device is silent. */
  consider(lost: LostDevice): void {
    const { fence, steady, log } = this.deps;
    const now = steady.now();
    if (fence === undefined || now - this.startedAt < START_MS || this.asking.has(lost.id)) return;
    if (now - (this.askedAt.get(lost.id) ?? -Infinity) < AGAIN_MS) return;
    this.asking.add(lost.id);
    this.askedAt.set(lost.id, now);
    this.ask(fence, lost)
      .catch((error: unknown) => log.warn({ err: error, deviceId: lost.id }, 'A lost Device could not be cut off yet'))
      .finally(() => this.asking.delete(lost.id));
  }

  private async ask(fence: Fence, lost: LostDevice): Promise<void> {
    const { store, memberId } = this.deps;
    const right = `fence ${lost.id}`;
    const isShared = memberId !== LONE_MEMBER;
    if (isShared && (await store.claim(right, memberId, RIGHT_MS)) === undefined) return;
    try {
      await this.cutOff(fence, lost);
    } finally {
      // A store that is away keeps it until its end.
      if (isShared) store.claim(right, memberId, 1).catch(() => undefined);
    }
  }

  private async cutOff(fence: Fence, lost: LostDevice): Promise<void> {
    const { store, clock, steady } = this.deps;
    const found = await store.tx((tx) => this.toCutOff(tx, lost));
    if (found === undefined || !(await lost.isSilent())) return;
    const askedAt = steady.now();
    const answer: FenceAnswer = await fence(found.device);
    const ms = Math.round(steady.now() - askedAt);
    // Whoever has claimed it since has heard it since.
    if (answer.outcome === 'done') await lost.move((owner) => owner?.token === found.token);
    await store.tx((tx) => noteFence(tx, toIso(clock.now()), found.device, answer, ms));
  }

  /** The Device and the claim that counts; undefined where it is not to be cut off. */
  private toCutOff(
    tx: Tx,
    { id, ownerId, isOnline }: LostDevice,
  ): { device: FencedDevice; token: number | undefined } | undefined {
    const { memberId } = this.deps;
    const row = tx.get('devices', id);
    const owner = tx.get('deviceLinks', id);
    if (row === undefined || fleetHeld(tx) !== undefined) return undefined;
    if (row.local && (row.member_id ?? memberId) === memberId) return undefined;
    const isClaimed = owner?.acceptedMemberId === ownerId && owner.token === owner.acceptedToken;
    if (owner !== undefined && !isClaimed) return undefined;
    if (!canMoveLost(tx, { deviceId: id, isOnline: isOnline(tx) })) return undefined;
    return { device: { id, name: row.name, address: row.ip_address }, token: owner?.token };
  }
}
