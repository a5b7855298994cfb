/**
 * The newest media of a Destination of low latency, and everybody who waits for the next: one watch of its folder wakes them all, and what
 * they get is made once.
 */
import { watch, type FSWatcher } from 'node:fs';
import type { Clock } from '../../../domain/time/clock.ts';
import { KEY_FILE, readAccessKey } from '../access.ts';
import { LIVE_FILE, readLiveState, type LiveState } from './live-state.ts';

/** A player asks again within some seconds; a folder that nobody asks for is not watched. */
const IDLE_MS = 60_000;

interface Waiter {
  isMet(state: LiveState): boolean;
  resolve(isMet: boolean): void;
}

const edges = new Map<string, LiveEdge>();

export class LiveEdge {
  private readonly dir: string;
  private readonly clock: Clock;
  private readonly watcher: FSWatcher;
  private readonly waiters = new Set<Waiter>();
  private made = new Map<string, Promise<unknown>>();
  private askedAt: number;
  state: LiveState;
  /** Key that tokens are checked with; undefined: everybody may watch. */
  accessKey: string | undefined;

  private constructor(dir: string, state: LiveState, clock: Clock) {
    this.dir = dir;
    this.clock = clock;
    this.state = state;
    this.askedAt = clock.now();
    this.watcher = watch(dir, { persistent: false }, (_, name) => {
      if (name === LIVE_FILE) this.onPart();
      else if (name === KEY_FILE || name === null) this.leave();
    });
    this.watcher.on('error', () => this.leave());
    // What was written since the state was read has been said to nobody.
    this.state = readLiveState(dir) ?? state;
    this.accessKey = readAccessKey(dir);
    this.leaveWhenIdle();
  }

  /**
   * Undefined when nothing of the folder is of low latency, or the machine watches no more folders: requests are answered at once then.
   * Throws the error of the filesystem for a key that cannot be read.
   */
  static find(dir: string, clock: Clock): LiveEdge | undefined {
    const known = edges.get(dir);
    if (known !== undefined) {
      known.askedAt = clock.now();
      return known;
    }
    const state = readLiveState(dir);
    if (state === undefined) return undefined;
    try {
      const edge = new LiveEdge(dir, state, clock);
      edges.set(dir, edge);
      return edge;
    } catch (error) {
      if (['ENOENT', 'ENOSPC', 'EMFILE'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw error;
    }
  }

  /** Resolves with true once the state is as wanted, and with false when it does not become so in time, or the media is gone. */
  until(isMet: (state: LiveState) => boolean, maxMs: number): Promise<boolean> {
    if (isMet(this.state)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        isMet,
        resolve: (met) => {
          cancel();
          this.waiters.delete(waiter);
          resolve(met);
        },
      };
      const cancel = this.clock.after(maxMs, () => waiter.resolve(false));
      this.waiters.add(waiter);
    });
  }

  /** Answers what `make` has made since the newest part came, once for all who ask for the same. */
  once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const former = this.made.get(name) as Promise<T> | undefined;
    if (former !== undefined) return former;
    const result = make();
    this.made.set(name, result);
    result.catch(() => this.made.delete(name));
    return result;
  }

  private onPart(): void {
    const state = readLiveState(this.dir);
    // The folder is emptied for the next run.
    if (state === undefined) return this.leave();
    this.state = state;
    this.made = new Map();
    for (const waiter of this.waiters) if (waiter.isMet(state)) waiter.resolve(true);
  }

  private leaveWhenIdle(): void {
    this.clock.after(IDLE_MS, () => {
      if (edges.get(this.dir) !== this) return;
      if (this.waiters.size === 0 && this.clock.now() - this.askedAt >= IDLE_MS) this.leave();
      else this.leaveWhenIdle();
    });
  }

  private leave(): void {
    if (edges.get(this.dir) === this) edges.delete(this.dir);
    this.watcher.close();
    for (const waiter of this.waiters) waiter.resolve(false);
  }
}
