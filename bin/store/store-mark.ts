/**
 * The mark of this server (domain/shapes/installation/store-era.ts): a file in the data folder, outside of the store, so that a store that
 * was put back is noticed at the next start.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeAtomic } from '../../device/atomic-file.ts';
import { toIso } from '../../domain/time/clock.ts';
import type { Log } from '../../domain/base/log.ts';
import { beginEra, compareMark, ensureMarkKey, markOf, wordsOf } from '../../domain/rules/installation/store-eras.ts';
import { isBeyond, parseMark, seal, unseal } from '../../domain/shapes/installation/store-era.ts';
import type { Store } from '../../domain/ports/store.ts';

export interface ServerMarkDeps {
  store: Store;
  dataDir: string;
  /** Name of this server, for people. */
  name: string;
  log: Log;
}

/** A restore takes back what was committed longer ago than this, as a rule; each mark is a small file. */
const EVERY_MS = 1000;

export class ServerMark {
  private readonly deps: ServerMarkDeps;
  private readonly path: string;
  private markKey: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private endChanges: () => void = () => undefined;

  constructor(deps: ServerMarkDeps) {
    this.deps = deps;
    this.path = join(deps.dataDir, 'store-mark.json');
  }

  /** Seals what Devices keep; undefined before `begin`. */
  get key(): string | undefined {
    return this.markKey;
  }

  /** Begins the era of this server, says when the store went back since the last one, and keeps the mark from here on. Once is enough. */
  async begin(): Promise<void> {
    if (this.markKey !== undefined) return;
    const { store, name, log } = this.deps;
    const { key, next } = await store.tx((tx) => ({ key: ensureMarkKey(tx), next: tx.nextIds() }));
    // A mark of another store, which was in this folder once, says nothing of this one.
    const { mark } = (readJson(this.path) ?? {}) as { mark?: unknown };
    const former = parseMark(unseal(key, mark));
    const restored_to = former !== undefined && isBeyond(former, next) ? await this.newestInstant() : null;
    const behind = await store.tx((tx) => {
      const now = toIso(store.clock.now());
      beginEra(tx, now, randomUUID());
      return former && compareMark(tx, now, former, { name, restored_to });
    });
    this.markKey = key;
    if (behind?.waiting === true && behind.restored !== null) log.error(behind.restored, wordsOf(behind.restored));
    this.endChanges = store.onChange(() => this.writeSoon());
    await this.write();
  }

  /** Keeps the mark of now. */
  async close(): Promise<void> {
    this.endChanges();
    clearTimeout(this.timer);
    await this.write();
  }

  private writeSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.write();
    }, EVERY_MS).unref();
  }

  private async write(): Promise<void> {
    const { store, log } = this.deps;
    const { markKey } = this;
    if (markKey === undefined) return;
    try {
      // A transaction is over once all that it has seen is on disk: the mark never knows more than what outlives a crash.
      const mark = await store.tx((tx) => markOf(tx, toIso(store.clock.now())));
      if (mark !== undefined) writeAtomic(this.path, JSON.stringify({ mark: seal(markKey, mark) }));
    } catch (error) {
      log.warn({ err: error }, 'The mark of the store could not be kept: a restore may not be noticed here.');
    }
  }

  /** Up to when the store knows what happened. */
  private async newestInstant(): Promise<string | null> {
    const newest = { sort: { field: 'id', descending: true }, limit: 1 };
    return (await this.deps.store.find('events', newest)).rows[0]?.at ?? null;
  }
}
