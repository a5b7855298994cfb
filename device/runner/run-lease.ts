/** The lease of a run, which its agent gets for it: without one nothing goes to what another Device may deliver to by then. */
import { LEASE_MS, TakenLease } from '../../domain/time/lease.ts';

/** The lease is looked at whenever something is handed on; where nothing is, at this distance. */
const LOOK_MS = 50;

export class RunLease {
  private readonly lease = new TakenLease();
  private readonly isNeeded: boolean;
  /** See bootMs. */
  private readonly bootMs: () => number;
  private readonly timer: NodeJS.Timeout | undefined;
  private wasHeld = false;
  private onChange: (isHeld: boolean) => void = () => undefined;

  constructor(isNeeded: boolean, bootMs: () => number) {
    this.isNeeded = isNeeded;
    this.bootMs = bootMs;
    if (isNeeded) this.timer = setInterval(() => this.isHeld, LOOK_MS);
  }

  /** Whether anything may be delivered now. Who asks before it hands something on hands on nothing that is too late. */
  get isHeld(): boolean {
    if (!this.isNeeded) return true;
    const isHeld = this.lease.isHeld(this.bootMs());
    if (isHeld !== this.wasHeld) {
      this.wasHeld = isHeld;
      this.onChange(isHeld);
    }
    return isHeld;
  }

  /** A server has answered the question of that instant. */
  grant(askedMs: number): void {
    this.lease.grant(askedMs, this.bootMs());
    void this.isHeld;
  }

  follow(onChange: (isHeld: boolean) => void): void {
    this.onChange = onChange;
  }

  close(): void {
    clearInterval(this.timer);
    this.onChange = () => undefined;
  }
}

export const NO_LEASE = `its Device has had no answer of a server for ${LEASE_MS / 1000} s, so that another Device may deliver in its place`;
