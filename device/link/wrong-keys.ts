/** Counts handshakes that failed, by the address from where they came. From one that goes on trying nobody joins for a while. */
import type { Log } from '../../domain/log.ts';

const FAILURES_ALLOWED = 5;
const PAUSE_MS = 30_000;
/** A flood from many addresses at once forgets the oldest. */
const MAX_ADDRESSES = 1000;

interface Failures {
  count: number;
  /** Milliseconds of the process's own clock. */
  pausedUntil: number;
  lastAt: number;
}

export class WrongKeys {
  private readonly log: Log;
  private readonly byAddress = new Map<string, Failures>();

  constructor(log: Log) {
    this.log = log;
  }

  isPaused(address: string): boolean {
    return (this.byAddress.get(address)?.pausedUntil ?? 0) > performance.now();
  }

  note(address: string, reason: string): void {
    const now = performance.now();
    const former = this.byAddress.get(address);
    const isOld = former === undefined || now - former.lastAt > PAUSE_MS;
    const failures = isOld ? { count: 0, pausedUntil: 0, lastAt: now } : former;
    failures.count += 1;
    failures.lastAt = now;
    this.byAddress.delete(address);
    this.byAddress.set(address, failures);
    if (this.byAddress.size > MAX_ADDRESSES) this.byAddress.delete(this.byAddress.keys().next().value ?? '');
    // A machine that goes on trying is logged at the first time and at the pause.
    if (failures.count === 1) this.log.warn({ peer: address, reason }, 'A connection of a Device was refused.');
    if (failures.count % FAILURES_ALLOWED !== 0) return;
    if (failures.pausedUntil <= now && failures.count === FAILURES_ALLOWED)
      this.log.warn({ peer: address }, 'Nobody joins from this address for 30 s, after too many wrong keys.');
    failures.pausedUntil = now + PAUSE_MS;
  }
}
