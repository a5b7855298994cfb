/** Runs plans one after another. A plan is synchronous and pure: it starts no other and answers at once. */
export class Planner {
  private planning = false;

  /** Throws TypeError inside a plan. */
  assertOutside(): void {
    if (this.planning) throw new TypeError('A plan cannot start a transaction: it is a pure function of its view.');
  }

  run<T>(plan: () => T): T {
    this.planning = true;
    try {
      const answer = plan();
      if (isThenable(answer))
        throw new TypeError('A plan answers at once: what it awaits would be outside its transaction.');
      return answer;
    } finally {
      this.planning = false;
    }
  }
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
