/** Tells listeners of commits, in order, and keeps the latest changes for those that come later. */
import type { Change } from '../../domain/ports/store.ts';
import { ChangeLog } from './change-log.ts';
import { Signal } from './signal.ts';

export type Listener = (changes: readonly Change[]) => void;

export class ChangeFeed {
  private readonly log: ChangeLog;
  private readonly listeners = new Signal<readonly Change[]>();

  constructor(seq: number) {
    this.log = new ChangeLog(seq);
  }

  publish(seq: number, changes: readonly Change[]): void {
    this.log.append(seq, changes);
    if (changes.length > 0) this.listeners.tell(changes);
  }

  after(seq: number): Change[] | undefined {
    return this.log.after(seq);
  }

  add(listener: Listener): () => void {
    return this.listeners.add(listener);
  }
}
