/** Answers the Devices that ask whether their runs may go on delivering: those alone that have the run, and that obey this server. */
import type { Clock } from '../../domain/time/clock.ts';
import { ANSWER_MARGIN_MS, ANSWER_RENEWED_MS, ANSWER_TTL_MS, GivenLease, mayGrant } from '../../domain/time/lease.ts';
import { HeldLease, type LeaseDeps } from '../../domain/ports/held-lease.ts';
import type { Store } from '../../domain/ports/store.ts';
import { noteNotLost } from '../../domain/rules/broadcasts/run-loss.ts';
import type { KnownDevice } from '../device-registry.ts';
import type { RowCache } from '../row-cache.ts';

export interface LeasesDeps {
  store: Store;
  /** For how long something has taken, whatever becomes of the clock of the machine. */
  steady: Pick<Clock, 'now'>;
  rows: Pick<RowCache, 'leasedAt'>;
  /** The right to answer is a lease in the store, where several servers share it. */
  leases: LeaseDeps;
}

/** The name of the right of a server to answer its Devices. */
export function answersOf(memberId: string): string {
  return `answers ${memberId}`;
}

export class Leases {
  private readonly deps: LeasesDeps;
  private readonly startedAt: number;
  private readonly given = new Map<number, GivenLease>();
  /** Devices that are being answered. */
  private readonly answering = new Set<number>();
  /** Runs that this server moves, or has tried to without knowing what has become of it. */
  private readonly withheld = new Set<string>();
  private readonly right: HeldLease;

  constructor(deps: LeasesDeps) {
    this.deps = deps;
    this.startedAt = deps.steady.now();
    const terms = { ttlMs: ANSWER_TTL_MS, renewMs: ANSWER_RENEWED_MS, marginMs: ANSWER_MARGIN_MS };
    const name = answersOf(deps.leases.memberId);
    this.right = new HeldLease(deps.leases, { name, ...terms, isKeptWithoutStore: false }, () => undefined);
  }

  /** Another server need not wait for this one. Nothing is granted any more. */
  close(): void {
    this.right.end();
  }

  /** The Device obeys this server from now on, and no other one. */
  accepted(deviceId: number): void {
    this.of(deviceId).note(this.deps.steady.now());
  }

  /** Whether the runs of the Device deliver no more. */
  hasEnded(deviceId: number, awakeSince: number): boolean {
    return this.of(deviceId).hasEnded(this.deps.steady.now(), awakeSince);
  }

  /** Whether the Device has asked nothing for so long. */
  isSilent(deviceId: number, forMs: number, awakeSince: number): boolean {
    return this.of(deviceId).isSilent(forMs, this.deps.steady.now(), awakeSince);
  }

  /** From here on nothing is granted to the run, until `release`. */
  withhold(runId: string): void {
    this.withheld.add(runId);
  }

  /** The row of the run is known to be as it is. */
  release(runId: string): void {
    this.withheld.delete(runId);
  }

  /** The Device has asked, at that instant of its clock. */
  answer(device: KnownDevice, askedMs: number): void {
    const { id, link } = device;
    this.of(id).note(this.deps.steady.now());
    if (link.grant === undefined || this.deps.rows.leasedAt(id).length === 0 || this.answering.has(id)) return;
    this.answering.add(id);
    // One that does not get its answer asks again in a second.
    void this.grant(device, askedMs)
      .catch(() => undefined)
      .finally(() => this.answering.delete(id));
  }

  private async grant({ id, link }: KnownDevice, askedMs: number): Promise<void> {
    const { store, steady, leases } = this.deps;
    // As of the last commit of any server, where the store answers.
    const owner = (await store.get('deviceLinks', id))?.row;
    const here = (await store.find('runs', { where: { deviceId: id } })).rows;
    const waiting = (await store.find('runs', { where: { otherDeviceId: id } })).rows;
    if (!mayGrant({ owner, memberId: leases.memberId, mayAnswer: this.right.isHeld })) return;
    const runIds = [
      ...here.flatMap(({ lease, runId }) => (lease === true ? [runId] : [])),
      ...waiting.flatMap(({ lease, move }) => (lease === true && move != null ? [move.runId] : [])),
    ].filter((runId) => !this.withheld.has(runId));
    if (runIds.length === 0) return;
    this.of(id).note(steady.now());
    await link.grant?.(askedMs, runIds);
    for (const run of here.filter(({ loss }) => loss?.isWaiting === true)) await store.tx((tx) => noteNotLost(tx, run));
  }

  private of(deviceId: number): GivenLease {
    const known = this.given.get(deviceId) ?? new GivenLease(this.startedAt);
    this.given.set(deviceId, known);
    return known;
  }
}
