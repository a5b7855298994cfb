/** Tasks that share a key run one after the other, in the order in which they came; all others at once. */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<unknown>>();

  run<T>(keys: readonly string[], task: () => Promise<T>): Promise<T> {
    // All keys are taken in one turn, so two tasks cannot wait for each other.
    const before = Promise.allSettled(keys.flatMap((key) => this.tails.get(key) ?? []));
    const outcome = before.then(task);
    const tail = outcome.catch(() => undefined);
    for (const key of keys) this.tails.set(key, tail);
    void tail.then(() => {
      for (const key of keys) if (this.tails.get(key) === tail) this.tails.delete(key);
    });
    return outcome;
  }
}
