/**
 * Finds Devices that are lost and moves their runs, those that are to move. The server that the Device obeys does so, once what it has granted has
 * ended; of a server that is gone another one, once that can grant nothing any more.
 */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { ASK_EVERY_MS, MOVE_AFTER_MS, TAKEN_TTL_MS, Wakefulness } from '../../domain/time/lease.ts';
import type { Log } from '../../domain/base/log.ts';
import type { DeviceOwner } from '../../domain/shapes/devices/device-owner.ts';
import { GONE_MS, isUp } from '../../domain/shapes/installation/member.ts';
import type { Store, Tx } from '../../domain/ports/store.ts';
import type { DeviceRegistry } from '../device-registry.ts';
import type { Presence } from '../devices/presence.ts';
import type { RowCache } from '../row-cache.ts';
import { FENCE_AFTER_MS, type Fences, type LostDevice } from './fences.ts';
import { answersOf, type Leases } from './leases.ts';
import { moveLost } from './move-lost.ts';

export interface LossesDeps {
  store: Store;
  clock: Clock;
  steady: Pick<Clock, 'now'>;
  log: Log;
  /** This server among those that share the store. */
  memberId: string;
  rows: Pick<RowCache, 'owner' | 'leasedAt' | 'leasedPlaces'>;
  registry: Pick<DeviceRegistry, 'heardAt'>;
  presence: Pick<Presence, 'mayStart'>;
  leases: Leases;
  fences: Pick<Fences, 'consider'>;
}

const LOOK_MS = 250;
/** While no run is delivered by a lease. */
const IDLE_MS = 1000;
/** A run that no Device takes is tried again after this time. */
const AGAIN_MS = 5000;

export class Losses {
  private readonly deps: LossesDeps;
  private readonly wakefulness: Wakefulness;
  private readonly moving = new Set<number>();
  /** When the Device was last tried. */
  private readonly triedAt = new Map<number, number>();
  /** Since when a server is not heard of, by its id. */
  private readonly missedSince = new Map<string, number>();
  /** Since when this server has the right of one that is gone, by its id. */
  private readonly taken = new Map<string, { token: number; at: number }>();
  private cancel: () => void = () => undefined;

  constructor(deps: LossesDeps) {
    this.deps = deps;
    this.wakefulness = new Wakefulness(deps.steady.now());
    this.later();
  }

  close(): void {
    this.cancel();
  }

  /** The machine was booted: nothing of what it ran is left, whatever was granted. It has not been claimed since. */
  async booted(deviceId: number): Promise<void> {
    if (this.ordered(deviceId).length > 0) await this.move(deviceId, () => true);
  }

  private later(): void {
    const { clock, rows } = this.deps;
    const [leased] = rows.leasedPlaces;
    this.cancel = clock.after(leased === undefined ? IDLE_MS : LOOK_MS, () => {
      const awakeSince = this.wakefulness.look(this.deps.steady.now());
      for (const id of rows.leasedPlaces) this.look(id, awakeSince);
      this.later();
    });
  }

  private look(id: number, awakeSince: number): void {
    const { rows, steady, leases, memberId } = this.deps;
    if (steady.now() - (this.triedAt.get(id) ?? -Infinity) < AGAIN_MS || this.ordered(id).length === 0) return;
    const ownerId = rows.owner(id)?.acceptedMemberId ?? memberId;
    if (ownerId !== memberId) return this.lookAtOthers(id, ownerId);
    if (leases.hasEnded(id, awakeSince))
      return void this.move(id, (owner) => owner === undefined || owner.acceptedMemberId === memberId);
    const isSilent = (): boolean => leases.isSilent(id, FENCE_AFTER_MS, this.wakefulness.look(steady.now()));
    if (isSilent()) this.cutOff(id, ownerId, isSilent);
  }

  private cutOff(id: number, ownerId: string, isSilent: LostDevice['isSilent']): void {
    this.deps.fences.consider({
      id,
      ownerId,
      isSilent,
      isOnline: (tx) => this.onlineBeside(tx, id),
      move: (isAllowed) => this.move(id, isAllowed),
    });
  }

  private onlineBeside(tx: Tx, deviceId: number): (other: number) => boolean {
    return (other) => other !== deviceId && this.deps.presence.mayStart(tx, other);
  }

  private ordered(deviceId: number): string[] {
    const runs = this.deps.rows.leasedAt(deviceId);
    return runs.flatMap((run) => (run.deviceId === deviceId && run.desired === 'on' ? [run.runId] : []));
  }

  private lookAtOthers(id: number, ownerId: string): void {
    const { store, steady } = this.deps;
    const member = store.sharing()?.members.find((each) => each.id === ownerId);
    const isGone = store.sharing() !== undefined && (member === undefined || member.silentMs >= GONE_MS);
    if (this.isMissed(id, ownerId) && store.rank() === 0)
      this.cutOff(id, ownerId, async () => this.isMissed(id, ownerId) && !isUp(ownerId, await store.members()));
    if (!isGone || store.rank() !== 0) return void this.taken.delete(ownerId);
    this.triedAt.set(id, steady.now() - AGAIN_MS + ASK_EVERY_MS);
    void this.takeOver(id, ownerId).catch(() => undefined);
  }

  /** Neither the Device nor its server is heard of. A database that was away has heard of no server for a while, so one look is not enough. */
  private isMissed(id: number, ownerId: string): boolean {
    const { store, steady, clock, registry } = this.deps;
    const sharing = store.sharing();
    if (sharing === undefined || isUp(ownerId, sharing.members)) this.missedSince.delete(ownerId);
    else if (!this.missedSince.has(ownerId)) this.missedSince.set(ownerId, steady.now());
    const since = this.missedSince.get(ownerId) ?? Infinity;
    return (
      steady.now() - since >= FENCE_AFTER_MS && clock.now() - (registry.heardAt(id) ?? -Infinity) >= FENCE_AFTER_MS
    );
  }

  /** While this server has the right of the other one, that one answers nobody. */
  private async takeOver(id: number, ownerId: string): Promise<void> {
    const { store, steady, memberId } = this.deps;
    const lease = await store.claim(answersOf(ownerId), memberId, TAKEN_TTL_MS);
    if (lease === undefined) return void this.taken.delete(ownerId);
    const { token } = lease;
    const before = this.taken.get(ownerId);
    const taken = before?.token === token ? before : { token, at: steady.now() };
    this.taken.set(ownerId, taken);
    if (steady.now() - taken.at < MOVE_AFTER_MS) return;
    await this.move(id, (owner) => owner?.acceptedMemberId === ownerId);
  }

  /** `isAllowed` is asked inside the commit. */
  private async move(
    deviceId: number,
    isAllowed: (owner: Readonly<DeviceOwner> | undefined) => boolean,
  ): Promise<void> {
    const { store, clock, steady, log, registry, leases } = this.deps;
    if (this.moving.has(deviceId)) return;
    this.moving.add(deviceId);
    this.triedAt.set(deviceId, steady.now());
    const runIds = this.ordered(deviceId);
    for (const runId of runIds) leases.withhold(runId);
    const nowMs = clock.now();
    const since = toIso(Math.min(nowMs, registry.heardAt(deviceId) ?? nowMs - MOVE_AFTER_MS));
    const plan = (tx: Tx): void => {
      const now = toIso(clock.now());
      if (!isAllowed(tx.get('deviceLinks', deviceId))) return;
      moveLost(tx, now, { deviceId, since, isOnline: this.onlineBeside(tx, deviceId) });
    };
    try {
      await store.tx(plan);
      for (const runId of runIds) leases.release(runId);
    } catch (error) {
      // Whether it was stored is not known: what was withheld stays so until a later try has an answer.
      log.warn({ err: error, deviceId }, 'The broadcasts of a lost Device could not be moved yet');
    } finally {
      this.moving.delete(deviceId);
    }
  }
}
