/** Bounds how often, and how soon, a runner that died is started again. Times are milliseconds of a monotonic clock. */
export class RestartBudget {
  /** A spec that kills its runner does so at once, every time; five starts tell that from bad luck. */
  readonly limit = 5;
  readonly windowMs = 60_000;
  private restarts: number[] = [];

  /** Restarts within the window, as the last call of `take` has left them. */
  get used(): number {
    return this.restarts.length;
  }

  /**
   * Milliseconds of the pause before a restart at `now`; undefined when the budget is spent. The first restart is at once, since viewers
   * wait.
   */
  take(now: number): number | undefined {
    this.restarts = this.restarts.filter((at) => now - at < this.windowMs);
    if (this.restarts.length >= this.limit) return undefined;
    this.restarts.push(now);
    return [0, 200, 400, 800, 800][this.restarts.length - 1] ?? 800;
  }
}
