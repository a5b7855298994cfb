/**
 * Whether each Device is there. Its owner hears it, and writes down when it does not any more, so that all servers see the same; of a Device whose
 * owner is gone the others do.
 */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { LOST_MS, type DeviceOwner } from '../../domain/shapes/devices/device-owner.ts';
import type { Log } from '../../domain/base/log.ts';
import { isUp } from '../../domain/shapes/installation/member.ts';
import { noteAway, noteBack, noteLost, noteNotUnderstood } from '../../domain/rules/devices/device-presence.ts';
import type { Store, Tx, View } from '../../domain/ports/store.ts';
import type { DeviceRegistry } from '../device-registry.ts';
import type { RowCache } from '../row-cache.ts';
import type { LostDevices } from '../status-view.ts';

export interface PresenceDeps {
  store: Store;
  clock: Clock;
  log: Log;
  /** This server among those that share the store. */
  memberId: string;
  rows: Pick<RowCache, 'owner' | 'devices'>;
  registry: Pick<DeviceRegistry, 'get' | 'isOnline' | 'heardAt'>;
}

const LOOK_MS = 1000;
/** A Device dials another server within a second or two; what is so short is not written down. */
const AWAY_MS = 2000;
/** A connection that is silent is given up within so long; a Device with nothing to tell may have said the last word long before. */
const NOTICED_MS = 5000;
/** A server that has just started has not been dialled yet. */
const START_MS = 5000;

export class Presence implements LostDevices {
  private readonly deps: PresenceDeps;
  private readonly startedAt: number;
  /** Since when this server misses a Device that it would hear. */
  private readonly missedSince = new Map<number, number>();
  /** Devices of which something is being written. */
  private readonly writing = new Set<number>();
  private cancel: () => void = () => undefined;

  constructor(deps: PresenceDeps) {
    this.deps = deps;
    this.startedAt = deps.clock.now();
    this.later();
  }

  close(): void {
    this.cancel();
  }

  /** Whether the Device, or the platform of a Cloud account, answers: what this server hears itself, else the word of its owner. */
  isOnline(place: number): boolean {
    const { registry, rows, memberId } = this.deps;
    const owner = rows.owner(place);
    if (this.isOwn(place) || owner === undefined || owner.acceptedMemberId === memberId)
      return registry.isOnline(place);
    return this.isHeardElsewhere(owner);
  }

  /** Whether its owner, this server or another, says that it hears the Device. */
  isHeard(owner: Readonly<DeviceOwner>): boolean {
    return this.isOurs(owner)
      ? this.isOwn(owner.id) && this.deps.registry.isOnline(owner.id)
      : this.isHeardElsewhere(owner);
  }

  /** Whether a start may be given to it: also while it changes servers, which takes no longer than a start waits. */
  mayStart(view: View, place: number): boolean {
    if (this.isOwn(place)) return this.deps.registry.isOnline(place);
    const owner = place > 0 ? view.get('deviceLinks', place) : undefined;
    if (owner === undefined) return this.deps.registry.isOnline(place);
    return owner.away_since === undefined && (this.isOurs(owner) || this.isHeardElsewhere(owner));
  }

  lostSince(deviceId: number | null): string | null {
    if (deviceId === null) return null;
    const owner = this.deps.rows.owner(deviceId);
    if (owner?.lost === true) return owner.away_since ?? null;
    // The database may be away for as long as the Device.
    const missed = this.missedSince.get(deviceId);
    return missed !== undefined && this.deps.clock.now() - missed >= LOST_MS ? toIso(missed) : null;
  }

  /** An own Device has said what no Device says, and its connection was closed. */
  notUnderstood(id: number, reason: string): void {
    // That of a Cloud account has no row.
    if (id > 0) void this.commit(id, (tx, now) => noteNotUnderstood(tx, id, reason, now));
  }

  /** Looks at each Device, and writes down what has changed. */
  look(): void {
    for (const id of this.deps.rows.devices.keys()) this.lookAt(id);
  }

  private lookAt(id: number): void {
    const { registry, rows, clock } = this.deps;
    const owner = rows.owner(id);
    const isOwn = this.isOwn(id);
    if (isOwn ? registry.isOnline(id) : owner !== undefined && !this.isOurs(owner) && this.isHeardElsewhere(owner)) {
      this.missedSince.delete(id);
      if (isOwn && owner?.away_since !== undefined) this.write(id, (tx, now) => noteBack(tx, id, now));
      return;
    }
    const isUnclaimed = owner === undefined && !isOwn;
    const isOthers = owner !== undefined && !isOwn && !this.isOurs(owner) && isUp(owner.acceptedMemberId, this.members);
    const now = clock.now();
    // It is for its owner to say so.
    if (isUnclaimed || isOthers || now - this.startedAt < START_MS) return void this.missedSince.delete(id);
    const heard = registry.heardAt(id) ?? -Infinity;
    const missed = this.missedSince.get(id) ?? (now - heard <= NOTICED_MS ? heard : now);
    this.missedSince.set(id, missed);
    const ownerId = owner?.acceptedMemberId ?? null;
    if (owner?.away_since === undefined) {
      if (now - missed >= AWAY_MS) this.write(id, (tx) => noteAway(tx, id, ownerId, toIso(missed)));
    } else if (owner.lost !== true && now - Date.parse(owner.away_since) >= LOST_MS)
      this.write(id, (tx, at) => noteLost(tx, id, ownerId, at));
  }

  private get members(): readonly { id: string; silentMs: number }[] {
    return this.deps.store.sharing()?.members ?? [];
  }

  private isOwn(place: number): boolean {
    return this.deps.registry.get(place)?.isOwn === true;
  }

  private isOurs({ acceptedMemberId }: Readonly<DeviceOwner>): boolean {
    return acceptedMemberId === this.deps.memberId;
  }

  private isHeardElsewhere({ acceptedMemberId, away_since }: Readonly<DeviceOwner>): boolean {
    return away_since === undefined && acceptedMemberId !== null && isUp(acceptedMemberId, this.members);
  }

  private write(id: number, change: (tx: Tx, now: string) => void): void {
    if (this.writing.has(id)) return;
    this.writing.add(id);
    void this.commit(id, change).finally(() => this.writing.delete(id));
  }

  private async commit(id: number, change: (tx: Tx, now: string) => void): Promise<void> {
    const { store, clock, log } = this.deps;
    await store
      .tx((tx) => change(tx, toIso(clock.now())))
      .catch((error: unknown) =>
        log.warn({ err: error, deviceId: id }, 'Whether a Device is there could not be stored'),
      );
  }

  private later(): void {
    this.cancel = this.deps.clock.after(LOOK_MS, () => {
      this.look();
      this.later();
    });
  }
}
