export class Signal<T> {
  private readonly listeners = new Set<(item: T) => void>();

  /** The answer ends the subscription. */
  add(listener: (item: T) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** A listener's error is its own: it surfaces as an uncaught exception, never with the caller. */
  tell(item: T): void {
    for (const listener of this.listeners) {
      try {
        listener(item);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
