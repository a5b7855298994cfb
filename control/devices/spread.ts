/**
 * Spreads the Devices that dial over the servers: after a cold start all of them are at the server that was there first. One that has more than its
 * share hangs up on some, which dial the next of their addresses within a second or so; broadcasts do not notice.
 */
import type { Clock } from '../../domain/time/clock.ts';
import { isUp } from '../../domain/shapes/installation/member.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { DeviceRegistry } from '../device-registry.ts';
import type { RowCache } from '../row-cache.ts';

export interface SpreadDeps {
  store: Pick<Store, 'sharing'>;
  clock: Clock;
  /** This server among those that share the store. */
  memberId: string;
  rows: Pick<RowCache, 'devices' | 'owner' | 'runsAt'>;
  registry: Pick<DeviceRegistry, 'get'>;
}

/** Servers tell each other that they are there in as long. */
const LOOK_MS = 5000;
/** More than this above the share is worth a change of servers. */
const SLACK = 2;
const TOLERATED = 1.1;
/** At one look, of what is too much: those that come to the next server find it with time for them. */
const PART = 0.4;
/** A Device that has come back has no other address, or nobody answered there. */
const AGAIN_MS = 10 * 60_000;

export class Spread {
  private readonly deps: SpreadDeps;
  private readonly hungUpAt = new Map<number, number>();
  private cancel: () => void = () => undefined;

  constructor(deps: SpreadDeps) {
    this.deps = deps;
    this.later();
  }

  close(): void {
    this.cancel();
  }

  private later(): void {
    this.cancel = this.deps.clock.after(LOOK_MS, () => {
      this.look();
      this.later();
    });
  }

  private look(): void {
    const { store, rows, memberId, clock } = this.deps;
    const members = store.sharing()?.members ?? [];
    const up = members.filter(({ id }) => isUp(id, members)).length;
    const dialling = [...rows.devices.values()].filter((row) => row.dials_in === true);
    const ownerOf = (id: number): string | null => rows.owner(id)?.acceptedMemberId ?? null;
    const share = dialling.filter(({ id }) => isUp(ownerOf(id), members)).length / up;
    const own = dialling.filter(({ id }) => ownerOf(id) === memberId);
    if (up < 2 || own.length <= share * TOLERATED + SLACK) return;
    const now = clock.now();
    const free = own.filter(({ id }) => now - (this.hungUpAt.get(id) ?? -Infinity) >= AGAIN_MS);
    const idleFirst = free.toSorted((a, b) => rows.runsAt(a.id).length - rows.runsAt(b.id).length);
    for (const { id } of idleFirst.slice(0, Math.ceil((own.length - share) * PART))) this.hangUp(id, now);
  }

  private hangUp(id: number, now: number): void {
    const device = this.deps.registry.get(id);
    if (device?.isOwn !== true || !device.online) return;
    this.hungUpAt.set(id, now);
    device.link.close?.();
  }
}
