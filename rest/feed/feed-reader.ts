/** One connection to the feed: the bytes that wait for its socket, and what happens when it does not take them. */
import type { CollectionName } from '../../domain/ports/collections.ts';
import type { Caller } from '../../domain/shapes/installation/security.ts';
import { frameOf } from './frames.ts';

/** A slow reader loses rates from here on: the next ones are newer anyway. */
const MAX_HELD_BYTES = 1024 * 1024;
/** From here on nothing waits for it any more; as soon as there is room it gets a snapshot in place of what it has missed. */
const MAX_KEPT_BYTES = 2 * MAX_HELD_BYTES;
/** A connection that takes nothing for so long is dead; its reader has come back by another one. */
const MAX_STALLED_MS = 60_000;

export type ByeReason = 'signed_out' | 'expired' | 'role' | 'closing';

/** Who is connected, as the request has shown it; it is looked at again and again while the connection is open. */
export interface Credential {
  readonly caller: Pick<Caller, 'username' | 'role' | 'tokenKid' | 'scope'>;
  /** Collections whose changes may end it. */
  readonly follows: readonly CollectionName[];
  /** A display alone has it: whether it may know of the Live stream. It is told of nothing else. */
  shows?(livestreamId: number): boolean;
  /** True once after a check that has found other Live streams to show. */
  takeNews?(): boolean;
  /** Milliseconds since 1970 at which it ends by itself; undefined when that is not known. */
  expiresMs(): number | undefined;
  /** Resolves with the reason for which the connection must end, if there is one. */
  check(): Promise<ByeReason | undefined>;
}

interface ReaderDeps {
  credential: Credential;
  /** Breaks the connection, whatever waits for it. */
  cut(): void;
  /** Called when a reader that has missed messages can take a snapshot. */
  onRoom(reader: FeedReader): void;
  onGone(reader: FeedReader): void;
}

export class FeedReader {
  readonly stream: ReadableStream<Uint8Array>;
  readonly credential: Credential;
  private readonly deps: ReaderDeps;
  private controller!: ReadableStreamDefaultController<Uint8Array>;
  private hasEnded = false;
  /** Set while it has missed messages: when that began. */
  private behindSinceMs: number | undefined;

  constructor(deps: ReaderDeps) {
    this.deps = deps;
    this.credential = deps.credential;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.controller = controller;
        },
        pull: () => this.catchUp(),
        cancel: () => this.leave(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_HELD_BYTES }),
    );
  }

  /** Sends a message that must not be missed. */
  send(bytes: Uint8Array, nowMs: number): void {
    if (this.hasEnded || this.behindSinceMs !== undefined) return;
    if (this.heldBytes > MAX_KEPT_BYTES) this.behindSinceMs = nowMs;
    else this.controller.enqueue(bytes);
  }

  /** Sends all that a reader needs, however much that is: it would be behind again otherwise, and never get on. */
  sendSnapshot(frames: readonly Uint8Array[]): void {
    this.behindSinceMs = undefined;
    if (!this.hasEnded) for (const frame of frames) this.controller.enqueue(frame);
  }

  /** Sends what is worthless a second later: rates, comments. */
  sendIfRoom(bytes: Uint8Array): void {
    if (this.hasEnded || this.behindSinceMs !== undefined || this.heldBytes > MAX_HELD_BYTES) return;
    this.controller.enqueue(bytes);
  }

  /** True when its connection has taken nothing for too long. */
  isDead(nowMs: number): boolean {
    return this.behindSinceMs !== undefined && nowMs - this.behindSinceMs > MAX_STALLED_MS;
  }

  end(reason: ByeReason): void {
    if (this.hasEnded) return;
    // One that has stopped reading would keep its connection for as long as it likes.
    if (this.behindSinceMs !== undefined) return this.drop();
    this.controller.enqueue(frameOf('bye', { reason }));
    this.controller.close();
    this.leave();
  }

  /** Ends a connection that takes nothing, without a word. */
  drop(): void {
    if (this.hasEnded) return;
    this.leave();
    this.deps.cut();
  }

  private get heldBytes(): number {
    return MAX_HELD_BYTES - (this.controller.desiredSize ?? 0);
  }

  private catchUp(): void {
    if (this.behindSinceMs !== undefined && !this.hasEnded) this.deps.onRoom(this);
  }

  private leave(): void {
    this.hasEnded = true;
    this.deps.onGone(this);
  }
}
