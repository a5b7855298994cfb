/** A duty that one of several servers has at a time, by a lease in their store. */
import type { Clock } from '../time/clock.ts';
import { LONE_MEMBER } from '../shapes/devices/device-owner.ts';
import type { Store } from './store.ts';

export interface LeaseTerms {
  name: string;
  /** A server that is gone is replaced within this time. */
  ttlMs: number;
  /** Nobody else can take it while the store is away. Where another server that does the same harms nobody, it is kept then. */
  isKeptWithoutStore: boolean;
  /** Left out: a third of `ttlMs`. */
  renewMs?: number;
  /** It counts as lost so long before its end; left out: at its end. */
  marginMs?: number;
}

export interface LeaseDeps {
  store: Pick<Store, 'claim'>;
  clock: Clock;
  /** This server. One that has its store alone has every duty, and asks for no lease. */
  memberId: string;
}

export class HeldLease {
  private readonly deps: LeaseDeps;
  private readonly terms: LeaseTerms;
  private readonly onChange: (isHeld: boolean) => void;
  private held = false;
  /** The end of it, in the time of performance.now(). */
  private until = Infinity;
  private ended = false;
  private cancelNext: () => void = () => undefined;
  private cancelLoss: () => void = () => undefined;

  /** `onChange` is called with true once the lease is held and with false once it is lost, in turn; the first time before this returns where the store is not shared. */
  constructor(deps: LeaseDeps, terms: LeaseTerms, onChange: (isHeld: boolean) => void) {
    this.deps = deps;
    this.terms = terms;
    this.onChange = onChange;
    if (deps.memberId === LONE_MEMBER) this.tell(true);
    else void this.renew();
  }

  /** A timer tells of the end late after a process stood still; this does not. */
  get isHeld(): boolean {
    return this.held && performance.now() < this.until;
  }

  /** Gives the lease back, so that another server need not wait for its end. */
  end(): void {
    this.ended = true;
    this.cancelNext();
    this.cancelLoss();
    if (!this.held) return;
    this.tell(false);
    const { store, memberId } = this.deps;
    // A store that is away keeps the lease until its end.
    if (memberId !== LONE_MEMBER) store.claim(this.terms.name, memberId, 1).catch(() => undefined);
  }

  private async renew(): Promise<void> {
    const { store, clock, memberId } = this.deps;
    const { name, ttlMs, isKeptWithoutStore, renewMs = ttlMs / 3, marginMs = 0 } = this.terms;
    // It counts from the question, so that this server never thinks longer than the store that it holds the lease.
    const askedAtMs = performance.now();
    try {
      const lease = await store.claim(name, memberId, ttlMs);
      if (this.ended) return;
      this.cancelLoss();
      if (!isKeptWithoutStore) this.until = askedAtMs + ttlMs - marginMs;
      this.tell(lease !== undefined);
      if (lease !== undefined && !isKeptWithoutStore)
        this.cancelLoss = clock.after(this.until - performance.now(), () => this.tell(false));
    } catch {
      // The lease stays until its end; the store says itself that it is away.
    }
    if (!this.ended) this.cancelNext = clock.after(renewMs, () => void this.renew());
  }

  private tell(isHeld: boolean): void {
    if (this.held === isHeld) return;
    this.held = isHeld;
    this.onChange(isHeld);
  }
}
