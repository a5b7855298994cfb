/**
 * Ten times a second all is done that may wait a moment, for all connections of this process together: to be woken for each message costs
 * more than to read it.
 */
import type { Socket } from 'node:net';
import type { Reader } from './readers.ts';

const TURN_MS = 100;
/** Bytes that are read in a turn are written in the same one: media does not wait in the memory of this process. */
const [reads, writes] = [new Set<() => void>(), new Set<() => void>()];
let timer: NodeJS.Timeout | undefined;

function inTurn(run: () => void, due: Set<() => void>): void {
  due.add(run);
  timer ??= setTimeout(() => {
    timer = undefined;
    runAll(reads);
    // Sockets that have been resumed are read before.
    setImmediate(runAll, writes);
  }, TURN_MS);
}

function runAll(due: Set<() => void>): void {
  const all = [...due];
  due.clear();
  for (const each of all) each();
}

/** Bytes by which a reader says whether it gets its media in turns from then on, or at once. Earlier versions read past them. */
export const [IN_TURNS, AT_ONCE] = ['t', 'o'];

/** A reader of the media socket. */
export class PacedSocket implements Reader {
  private readonly socket: Socket;
  private isHeld = false;
  mayWait = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes: Buffer) => this.hear(bytes.toString('latin1').at(-1)));
  }

  get writableLength(): number {
    return this.socket.writableLength;
  }

  get destroyed(): boolean {
    return this.socket.destroyed;
  }

  write(bytes: Buffer): boolean {
    if (this.mayWait && !this.isHeld) {
      this.isHeld = true;
      this.socket.cork();
      inTurn(() => this.release(), writes);
    }
    return this.socket.write(bytes);
  }

  end(): void {
    this.socket.end();
  }

  private hear(word: string | undefined): void {
    this.mayWait = word === IN_TURNS;
    if (!this.mayWait) this.release();
  }

  private release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.socket.uncork();
  }
}

/** A turn of 20 Mbit/s. A faster sender would fill the window of its connection before the next turn. */
const MAX_TURN_BYTES = 250_000;

/** Reads a pusher in turns while `mayWait` answers true, and else as it sends. */
export class PacedReading {
  private readonly socket: Socket;
  private readonly mayWait: () => boolean;
  private turnBytes = 0;
  private isHeld = false;

  constructor(socket: Socket, mayWait: () => boolean) {
    this.socket = socket;
    this.mayWait = mayWait;
  }

  /** It is called behind each read. */
  took(bytes: Buffer): void {
    const isFirst = this.turnBytes === 0;
    this.turnBytes += bytes.length;
    if (!isFirst) return;
    inTurn(() => this.next(), reads);
    // All that has come by now is read before.
    setImmediate(() => this.waitIfAllowed());
  }

  private waitIfAllowed(): void {
    // Who takes the media may have stopped it by now, and says when it goes on.
    if (this.turnBytes > MAX_TURN_BYTES || !this.mayWait() || this.socket.isPaused()) return;
    this.isHeld = true;
    this.socket.pause();
  }

  private next(): void {
    this.turnBytes = 0;
    if (!this.isHeld) return;
    this.isHeld = false;
    this.socket.resume();
  }
}
