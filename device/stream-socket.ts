/** Carriers of HTTP/1.1: a socket, or a stream of HTTP/2 that has all that Node calls of one. */
import type { Http2Stream } from 'node:http2';
import { Duplex } from 'node:stream';

/** Node's HTTP calls each of these of its connection, and ends the process where one is missing. */
export interface Connection extends Duplex {
  setTimeout(ms: number, onTimeout?: () => void): this;
  setKeepAlive(): this;
  setNoDelay(): this;
  ref(): this;
  unref(): this;
}

/**
 * Node's HTTP reads from the handle below a stream where there is one, and that of an HTTP/2 stream has frames of the whole session: so the
 * stream stands behind this one, which has no handle. Without a stream it is a connection that has failed.
 */
export class StreamSocket extends Duplex implements Connection {
  private readonly stream: Http2Stream | undefined;

  constructor(stream: Http2Stream | undefined) {
    super({ allowHalfOpen: true });
    this.stream = stream;
    // A request listens for as long as it lasts; a reset before or after it must not end the process.
    this.on('error', () => undefined);
    if (stream === undefined) {
      const error = Object.assign(new Error('The connection has ended.'), { code: 'ECONNRESET' });
      process.nextTick(() => this.destroy(error));
      return;
    }
    stream.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) stream.pause();
    });
    stream.on('end', () => this.push(null));
    stream.on('timeout', () => this.emit('timeout'));
    stream.on('error', (error) => this.destroy(error));
    stream.on('close', () => this.destroy());
  }

  override _read(): void {
    this.stream?.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.stream === undefined) done();
    else this.stream.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    if (this.stream === undefined) done();
    else this.stream.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.stream?.destroy();
    done(error);
  }

  /** Node calls these of the connections that it keeps. */
  setTimeout(ms: number, onTimeout?: () => void): this {
    this.stream?.setTimeout(ms);
    if (onTimeout !== undefined) this.once('timeout', onTimeout);
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
