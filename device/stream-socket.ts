/** A stream of HTTP/2 that carries HTTP/1.1 as a connection does. */
import type { Http2Stream } from 'node:http2';
import { Duplex } from 'node:stream';

/**
 * Node's HTTP reads from the handle below a stream where there is one, and that of an HTTP/2 stream has frames of the whole session: so the
 * stream stands behind this one, which has no handle.
 */
export class StreamSocket extends Duplex {
  private readonly stream: Http2Stream;

  constructor(stream: Http2Stream) {
    super({ allowHalfOpen: true });
    this.stream = stream;
    stream.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) stream.pause();
    });
    stream.on('end', () => this.push(null));
    stream.on('timeout', () => this.emit('timeout'));
    stream.on('error', (error) => this.destroy(error));
    stream.on('close', () => this.destroy());
  }

  override _read(): void {
    this.stream.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.stream.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.stream.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.stream.destroy();
    done(error);
  }

  /** Node calls these of the connections that it keeps. */
  setTimeout(ms: number, onTimeout?: () => void): this {
    this.stream.setTimeout(ms);
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
