/** Reads from librist's lines whether the receiver of an output is there: it has answered, and been able to read what it got. */

/** librist misses the reports of a receiver after 0.7 s; a line of high loss brings them back within this time. */
const GONE_MS = 3000;
/** A receiver that cannot read what comes answers with what cannot be read here. */
const WRONG_SECRET = /Malformed packet|Malformed feedback|Disabling packet processing till new NONCE/u;

export class RistPeer {
  private silentSince: number | undefined;
  private hasAnswered = false;

  read(line: string, now: number): void {
    if (!line.includes('rist')) return;
    // The name comes in a report of the receiver (RFC 3550, §6.5).
    if (/Peer \d+ receiver name is now/u.test(line)) this.hasAnswered = true;
    if (/Peer \d+ was dead for \d+ ms and it is now alive again/u.test(line)) this.silentSince = undefined;
    if (/Listening peer \d+ timed out/u.test(line)) this.silentSince ??= now;
  }

  get isThere(): boolean {
    return this.hasAnswered && this.silentSince === undefined;
  }

  /** Says why the delivery is given up; undefined while it goes on. */
  lossOf(peer: string, now: number): string | undefined {
    const { silentSince } = this;
    if (!this.hasAnswered || silentSince === undefined || now - silentSince < GONE_MS) return undefined;
    return `The RIST receiver ${peer} has gone: it has not answered for ${GONE_MS / 1000} s.`;
  }
}

/** Puts the words of librist about a receiver that was never there into ours. */
export function ristReason(stderr: string, peer: string, hasSecret: boolean): string {
  if (WRONG_SECRET.test(stderr)) return `The RIST receiver ${peer} has another secret.`;
  if (/Receiving encrypted data, but configured without keysize/u.test(stderr))
    return `The RIST receiver ${peer} has a secret, and this Destination has none.`;
  const beside = hasSecret ? ', or has no secret while this Destination has one' : '';
  return `The RIST receiver ${peer} does not answer${beside}.`;
}
