/** Tells listeners of commits, in order, and keeps the latest changes for those that come later. */
import type { Change } from '../domain/store.ts';
import { ChangeLog } from './change-log.ts';

export type Listener = (changes: readonly Change[]) => void;

export class ChangeFeed {
  private readonly log: ChangeLog;
  private readonly listeners = new Set<Listener>();

  constructor(seq: number) {
    this.log = new ChangeLog(seq);
  }

  publish(seq: number, changes: readonly Change[]): void {
    this.log.append(seq, changes);
    if (changes.length > 0) for (const listener of this.listeners) callListener(listener, changes);
  }

  after(seq: number): Change[] | undefined {
    return this.log.after(seq);
  }

  add(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** A listener's error is its own: it surfaces as an uncaught exception, never as a failed commit. */
function callListener(listener: Listener, changes: readonly Change[]): void {
  try {
    listener(changes);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
