/** Tasks that share a key run one after the other, in the order in which they came; all others run at once. */
export class KeyedQueue<Key> {
  private readonly tails = new Map<Key, Promise<unknown>>();

  /**
   * Resolves and rejects as `task` does. The next task of its keys begins when this one has ended, whatever its outcome, or when it has
   * called `release`, whichever is first.
   */
  run<T>(keys: readonly Key[], task: (release: () => void) => Promise<T>): Promise<T> {
    // All keys are taken in one turn, so two tasks cannot wait for each other.
    const before = Promise.allSettled(keys.flatMap((key) => this.tails.get(key) ?? []));
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const outcome = before.then(() => task(release));
    // The caller of the task gets its error; the next task only waits for its end.
    const tail = Promise.race([outcome.catch(() => undefined), released]);
    for (const key of keys) this.tails.set(key, tail);
    void tail.then(() => {
      for (const key of keys) if (this.tails.get(key) === tail) this.tails.delete(key);
    });
    return outcome;
  }

  isBusy(key: Key): boolean {
    return this.tails.has(key);
  }

  /** Resolves when every task that has the key so far has ended or released it. */
  async drained(key: Key): Promise<void> {
    await this.tails.get(key);
  }
}
