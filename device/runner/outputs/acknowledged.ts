/** Finds out whether the peer of a connection still takes bytes, from two counts that are not of the same moment. */

export class Acknowledged {
  /** The highest count of bytes that the peer is known to have. */
  private bytes = -Infinity;
  private at = 0;

  /**
   * Returns for how many ms the peer has taken nothing. `written` is the program's last report, `unacknowledged` the kernel's count of now,
   * which may be higher; undefined: there is no connection.
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
