/**
 * A pipe out of a child whose media may wait a moment. To be woken for each packet costs more than to read it: while the reader has time, all
 * such pipes of this process are read together, ten times a second. Meanwhile the child has room for 64 KiB, and waits when that is full.
 */
import { closeSync } from 'node:fs';
import { Socket, type OnReadOpts, type SocketConstructorOpts } from 'node:net';
import { openPipe } from '../../../linux/pipe.ts';

const PACE_MS = 100;
/** Each read is copied out of it at once. */
const buffer = Buffer.allocUnsafe(65_536);

const waiting = new Set<Socket>();
let timer: NodeJS.Timeout | undefined;

function readLater(socket: Socket): void {
  waiting.add(socket);
  timer ??= setTimeout(() => {
    timer = undefined;
    const due = [...waiting];
    waiting.clear();
    for (const each of due) each.resume();
  }, PACE_MS);
}

export class PacedPipe {
  /** The child's end, for its `stdio`. */
  readonly writeEnd: number;
  private readonly socket: Socket;
  private onChunk: (chunk: Buffer) => void = () => undefined;
  private mayWait: () => boolean = () => false;
  private isLast = false;
  /** Resolves when all has been read. */
  readonly ended: Promise<void>;

  /** Nothing is left at `path`. Throws the errors of the filesystem. */
  constructor(path: string) {
    const { readEnd, writeEnd } = openPipe(path);
    this.writeEnd = writeEnd;
    const options: SocketConstructorOpts & { onread: OnReadOpts } = {
      fd: readEnd,
      readable: true,
      writable: false,
      onread: { buffer, callback: (bytes) => this.take(bytes) },
    };
    this.socket = new Socket(options);
    // A pipe that cannot be read is closed, which `ended` tells; unhandled the error would end this process.
    this.socket.on('error', () => undefined);
    this.ended = new Promise((resolve) => void this.socket.once('close', () => resolve()));
  }

  /** Starts the child, which alone has its end from then on. Throws what `start` throws. */
  handOver<T>(start: () => T): T {
    try {
      return start();
    } catch (error) {
      this.close();
      throw error;
    } finally {
      closeSync(this.writeEnd);
    }
  }

  /** `mayWait` is asked after each chunk. */
  read(onChunk: (chunk: Buffer) => void, mayWait: () => boolean): void {
    this.onChunk = onChunk;
    this.mayWait = mayWait;
    this.socket.resume();
  }

  /** The child has ended: what it has left is read at once. */
  finish(): void {
    this.isLast = true;
    this.socket.resume();
  }

  close(): void {
    waiting.delete(this.socket);
    this.socket.destroy();
  }

  /** Returns whether to read on. */
  private take(bytes: number): boolean {
    this.onChunk(Buffer.from(buffer.subarray(0, bytes)));
    // Behind a full read more waits, and the child with it.
    if (this.isLast || bytes === buffer.length || !this.mayWait()) return true;
    readLater(this.socket);
    return false;
  }
}
