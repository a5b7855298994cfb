/**
 * The right of a run to deliver to what others could deliver to as well. Its Device asks for it each second and has it for some seconds; the
 * server that the Device obeys gives it, and moves the run once it has ended for certain. Each side goes by a clock of its own that nobody sets.
 */

/** It counts from the question, on the clock of the Device that asks, so that an answer which is late gives less. */
export const LEASE_MS = 8000;
export const ASK_EVERY_MS = 1000;
/** Half a second above the lease: the two clocks may differ by some ms in that time. */
export const MOVE_AFTER_MS = LEASE_MS + 500;

/** The right of a server to answer, in its store: another server may take over its Devices once that has ended. */
export const ANSWER_TTL_MS = 60_000;
/** It answers no more so long before that end: what it has granted by then ends with it. */
export const ANSWER_MARGIN_MS = 5000;
export const ANSWER_RENEWED_MS = 5000;
/** Between two looks of a process that runs; what waited unread is read in as long. */
const STOOD_STILL_MS = 2000;
/** How long a server keeps the right of one that is gone. */
export const TAKEN_TTL_MS = 20_000;

/** The runner's side: `now` is a clock that counts on while the machine is suspended. */
export class TakenLease {
  private until = -Infinity;

  isHeld(now: number): boolean {
    return now < this.until;
  }

  /** `askedAt` is the instant of the question. Nobody asks in the future; the clock of a machine begins anew when it is booted. */
  grant(askedAt: number, now: number): void {
    if (askedAt <= now) this.until = Math.max(this.until, askedAt + LEASE_MS);
  }
}

/** Facts by which a server may answer a Device. */
export interface AnswerFacts {
  /** The server whose claim the Device has last confirmed; undefined where nobody has to claim it. */
  owner: { acceptedMemberId: string | null; token: number; acceptedToken: number } | undefined;
  memberId: string;
  /** The right of this server to answer holds. */
  mayAnswer: boolean;
}

/** A newer claim is not confirmed yet, perhaps: its server may be the one that moves the runs. */
export function mayGrant({ owner, memberId, mayAnswer }: AnswerFacts): boolean {
  if (!mayAnswer) return false;
  return owner === undefined || (owner.acceptedMemberId === memberId && owner.token === owner.acceptedToken);
}

/** The server's side, for one Device. `now` is a clock that is never set. */
export class GivenLease {
  private last: number;

  /** `acceptedAt`: from then on the Device obeys no earlier server, which may have granted until that moment. */
  constructor(acceptedAt: number) {
    this.last = acceptedAt;
  }

  /** The Device has asked, or obeys this server anew. It is called before an answer is sent: whether that arrives nobody knows. */
  note(now: number): void {
    this.last = Math.max(this.last, now);
  }

  /** Whether all that was granted has ended, and the Device asks no more. `awakeSince`: see Wakefulness. */
  hasEnded(now: number, awakeSince: number): boolean {
    return this.isSilent(MOVE_AFTER_MS, now, awakeSince);
  }

  /** Whether the Device has asked nothing for so long. */
  isSilent(forMs: number, now: number, awakeSince: number): boolean {
    return now - this.last >= forMs && now - awakeSince >= STOOD_STILL_MS;
  }
}

/** Whether this process has run all the time: what Devices said while it stood still waits unread. */
export class Wakefulness {
  private lookedAt: number;
  private since: number;

  constructor(now: number) {
    this.lookedAt = now;
    this.since = now;
  }

  /** To be called some times a second; answers since when the process has run without a stop. */
  look(now: number): number {
    if (now - this.lookedAt > STOOD_STILL_MS) this.since = now;
    this.lookedAt = now;
    return this.since;
  }
}
