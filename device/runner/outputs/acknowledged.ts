/** What of a connection's bytes the peer has: whether it still takes them, told from two counts that are not of the same moment. */

export class Acknowledged {
  /** Most that the peer is known to have. */
  private bytes = -Infinity;
  private at = 0;

  /**
   * For how many ms the peer has taken nothing. `written`: by the program, as it said last; `unacknowledged`: of the kernel now, which
   * may be more than that; undefined: there is no connection.
   */
  standsForMs(written: number, unacknowledged: number | undefined, now: number): number {
    const bytes = written - (unacknowledged ?? 0);
    if (bytes > this.bytes || unacknowledged === undefined || unacknowledged === 0) {
      this.bytes = bytes;
      this.at = now;
    }
    return now - this.at;
  }
}
