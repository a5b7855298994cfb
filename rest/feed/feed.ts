/** The feed of the page: one watch for all its readers, each message written once. */
import { randomBytes } from 'node:crypto';
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { LiveMessage, LiveWatch, LiveWatching, RateRow, StatusChange } from '../../domain/ports/live-watch.ts';
import type { Log } from '../../domain/base/log.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { Dispatcher } from '../../toolkit/dispatch.ts';
import { COMMENT, frameOf, PROLOGUE } from './frames.ts';
import { KeptMessages } from './kept-messages.ts';
import { changedResources, readersOf } from './resources.ts';
import { FeedReader, type ByeReason, type Credential } from './feed-reader.ts';

/** Live streams of one message of a snapshot: 70 kB with three renditions each. */
const STREAMS_A_MESSAGE = 50;
const COMMENT_MS = 15_000;
/** The watch goes on for as long as a reader who comes back may be given what it has missed. */
const IDLE_MS = 5 * 60_000;

export interface FeedDeps {
  live: LiveWatch;
  store: Pick<Store, 'onChange'>;
  dispatcher: Pick<Dispatcher, 'catalogue' | 'timezone'>;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  version: string;
  /** The name of the profile that REST heeds. */
  profile: string;
}

export class Feed {
  private readonly deps: FeedDeps;
  /** It names this process: a name that is used again would let a reader take old positions for its own. */
  private readonly boot = randomBytes(6).toString('hex');
  private readonly kept = new KeptMessages(this.boot);
  private readonly readers = new Set<FeedReader>();
  private readonly mayRead: ReturnType<typeof readersOf>;
  private readonly endChanges: () => void;
  private watching: Promise<LiveWatching> | undefined;
  private cancelIdle: () => void = () => undefined;
  /** undefined while there is no reader. */
  private cancelComment: (() => void) | undefined;
  private isClosed = false;

  constructor(deps: FeedDeps) {
    this.deps = deps;
    this.mayRead = readersOf(deps.dispatcher.catalogue.operations);
    this.endChanges = deps.store.onChange((changes) => {
      const changed = new Set(changes.map(({ collection }) => collection));
      for (const reader of this.readers)
        if (reader.credential.follows.some((collection) => changed.has(collection))) void this.check(reader);
    });
  }

  get size(): number {
    return this.readers.size;
  }

  /**
   * Resolves with the events for one reader, whose connection `cut` breaks. Rejects with AppError unavailable while the server closes.
   */
  async join(credential: Credential, lastId: string | undefined, cut: () => void): Promise<ReadableStream<Uint8Array>> {
    this.cancelIdle();
    const watching = await this.open();
    if (this.isClosed) throw closing();
    const nowMs = this.deps.clock.now();
    const reader = new FeedReader({
      credential,
      cut,
      onRoom: (behind) => this.sendSnapshot(behind, watching),
      onGone: (gone) => this.leave(gone),
    });
    // Nothing of what follows waits, so no message comes between the position and the messages after it.
    reader.send(PROLOGUE, nowMs);
    reader.send(this.hello(credential), nowMs);
    // What is kept is about all Live streams.
    const missed = credential.shows === undefined ? this.kept.after(lastId, nowMs) : undefined;
    if (missed === undefined) this.sendSnapshot(reader, watching);
    for (const { resource, bytes } of missed ?? []) if (this.mayReceive(reader, resource)) reader.send(bytes, nowMs);
    this.readers.add(reader);
    this.cancelIdle();
    this.cancelComment ??= this.deps.clock.after(COMMENT_MS, () => this.comment());
    // The right to the feed may have ended since the request was let in.
    void this.check(reader);
    return reader.stream;
  }

  close(): void {
    this.isClosed = true;
    this.endChanges();
    for (const reader of this.readers) reader.end('closing');
    this.stop();
  }

  private hello({ caller }: Credential): Uint8Array {
    const { version, profile, clock, dispatcher } = this.deps;
    return frameOf('hello', {
      boot: this.boot,
      version,
      server_time: toIso(clock.now()),
      timezone: dispatcher.timezone,
      user: caller.username,
      role: caller.role,
      tool_profile: profile,
    });
  }

  private sendSnapshot(reader: FeedReader, watching: LiveWatching): void {
    const { livestreams: all, devices } = watching.snapshot();
    const isDisplay = reader.credential.shows !== undefined;
    const livestreams = ofReader(reader, all, ({ livestreamId }) => livestreamId);
    const frames: Uint8Array[] = [];
    for (let from = 0; from === 0 || from < livestreams.length; from += STREAMS_A_MESSAGE) {
      const done = from + STREAMS_A_MESSAGE >= livestreams.length;
      const part = livestreams.slice(from, from + STREAMS_A_MESSAGE);
      const data = { livestreams: part, devices: from === 0 && !isDisplay ? devices : [], done };
      // With the last part, and not before, the reader has all that was told up to this position.
      frames.push(frameOf('snapshot', data, done && !isDisplay ? this.kept.id : undefined));
    }
    reader.sendSnapshot(frames);
  }

  private open(): Promise<LiveWatching> {
    if (this.isClosed) return Promise.reject(closing());
    this.watching ??= this.deps.live
      .watch((message) => this.receive(message))
      .catch((error: unknown) => {
        this.watching = undefined;
        throw error;
      });
    return this.watching;
  }

  private receive(message: LiveMessage): void {
    switch (message.type) {
      case 'status': {
        const { type, ...data } = message;
        this.tellDisplays(data.livestreams);
        return this.tell(type, data);
      }
      case 'rates':
        return this.sendRates({ at: message.at, rows: message.rows });
      case 'event':
        return this.tell('event', message.event);
      case 'device':
        return this.tell('device', { devices: message.devices });
      case 'changed':
        for (const change of changedResources(message.rows)) this.tell('changed', change, change.resource);
    }
  }

  /** `resource` is left out for what every reader may read. */
  private tell(event: string, data: unknown, resource?: string): void {
    const nowMs = this.deps.clock.now();
    const { bytes } = this.kept.add((id) => frameOf(event, data, id), nowMs, resource);
    for (const reader of this.readers) if (this.mayReceive(reader, resource)) reader.send(bytes, nowMs);
  }

  /** Who has changed it is left out: passers-by read a display. */
  private tellDisplays(changes: readonly StatusChange[]): void {
    const nowMs = this.deps.clock.now();
    for (const reader of this.readers) {
      if (reader.credential.shows === undefined) continue;
      const livestreams = ofReader(reader, changes, ({ livestreamId }) => livestreamId);
      if (livestreams.length > 0) reader.send(frameOf('status', { livestreams }), nowMs);
    }
  }

  private mayReceive({ credential }: FeedReader, resource: string | undefined): boolean {
    if (credential.shows !== undefined) return false;
    return resource === undefined || this.mayRead(resource, credential.caller);
  }

  private sendRates({ at, rows }: { at: string; rows: readonly RateRow[] }): void {
    if (this.readers.size === 0) return;
    const nowMs = this.deps.clock.now();
    const bytes = frameOf('rates', { at, rows });
    for (const reader of this.readers) {
      if ((reader.credential.expiresMs() ?? Infinity) <= nowMs) void this.check(reader);
      if (reader.isDead(nowMs)) reader.drop();
      else if (reader.credential.shows === undefined) reader.sendIfRoom(bytes);
      else reader.sendIfRoom(frameOf('rates', { at, rows: ofReader(reader, rows, ([id]) => id) }));
    }
  }

  private comment(): void {
    for (const reader of this.readers) reader.sendIfRoom(COMMENT);
    // Tokens end by the clock as well, without a change of their rows.
    this.checkAll();
    this.cancelComment = this.deps.clock.after(COMMENT_MS, () => this.comment());
  }

  private checkAll(): void {
    for (const reader of this.readers) void this.check(reader);
  }

  private async check(reader: FeedReader): Promise<void> {
    let reason: ByeReason | undefined;
    try {
      reason = await reader.credential.check();
    } catch (error) {
      if (!this.isClosed) this.deps.log.warn({ err: error }, 'The caller of a feed could not be looked up');
      return;
    }
    if (reason !== undefined) reader.end(reason);
    else if (reader.credential.takeNews?.() === true) await this.tellOfWall(reader);
  }

  /** The display asks for its wall anew, and knows the Live streams that have come to it. */
  private async tellOfWall(reader: FeedReader): Promise<void> {
    const watching = await this.watching;
    if (watching === undefined || this.isClosed) return;
    reader.send(frameOf('changed', { resource: 'walls', ids: null }), this.deps.clock.now());
    this.sendSnapshot(reader, watching);
  }

  private leave(reader: FeedReader): void {
    this.readers.delete(reader);
    if (this.readers.size > 0) return;
    this.cancelComment?.();
    this.cancelComment = undefined;
    if (this.isClosed) return;
    this.cancelIdle();
    this.cancelIdle = this.deps.clock.after(IDLE_MS, () => {
      if (this.readers.size === 0) this.stop();
    });
  }

  private stop(): void {
    this.cancelIdle();
    const { watching } = this;
    this.watching = undefined;
    this.kept.forget();
    // A watch that could not begin has told its readers so.
    void watching?.then((open) => open.end()).catch(() => undefined);
  }
}

/** All rows, or those that the display may know of. */
function ofReader<T>({ credential }: FeedReader, rows: readonly T[], idOf: (row: T) => number): readonly T[] {
  return credential.shows === undefined ? rows : rows.filter((row) => credential.shows?.(idOf(row)));
}

function closing(): AppError {
  return new AppError('unavailable', 'The server is closing. Connect again in a moment.', { retryAfterSeconds: 1 });
}
