/** The listener of an RTMP-Push Channel: it admits the one pusher that knows application and key, and hands its media to the ingest. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { ChannelSettings } from '../../../domain/channel.ts';
import { FlvJoiner } from '../../media/rtmp/flv-joiner.ts';
import { RtmpSession } from '../../media/rtmp/rtmp-session.ts';

export const RTMP_PORT = 1935;
/** Handshake and commands of a far pusher take under 2 s. */
const ADMIT_MS = 10_000;
/** A pusher that is silent so long has gone: the next one must be let in. */
const SILENT_MS = 5000;
/** So many strangers may be connected at once; each may hold 2 MB here until its time is up. */
const MAX_CONNECTIONS = 16;
/** A pusher may leave so many bytes of our answers unread: all of them together have less than 2 KB after the handshake's 3 KB. */
const MAX_UNREAD = 65_536;

export class RtmpListener {
  private readonly server: Server;
  private readonly port: number;
  private readonly sockets = new Set<Socket>();
  private readonly expected: Buffer;
  private readonly salt = randomBytes(32);
  private readonly joiner = new FlvJoiner();
  private publisher: Socket | undefined;
  /** stdin of the ingest's ffmpeg. */
  private sink: Writable | undefined;

  constructor(settings: ChannelSettings) {
    this.port = settings.port ?? RTMP_PORT;
    this.expected = this.digest(settings.app!, settings.stream_key!);
    this.server = createServer((socket) => this.onConnection(socket));
    this.server.maxConnections = MAX_CONNECTIONS;
  }

  /** Rejects with a sentence that says what to do when the port cannot be had: no pusher would find another one. */
  async open(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', (error: NodeJS.ErrnoException) => {
        const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be opened (${error.code})`;
        reject(new Error(`TCP port ${this.port} for RTMP ${why} on this Device; set another port in the Channel.`));
      });
      this.server.listen(this.port, resolve);
    });
    // Once it listens, only an accept(2) can fail, which the pusher tries again.
    this.server.on('error', () => undefined);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }

  /** A new ffmpeg reads: the pusher, if there is one, goes on into it from its next keyframe. */
  attach(sink: Writable): void {
    this.sink = sink;
    this.joiner.restart();
    sink.on('drain', () => sink === this.sink && this.publisher?.resume());
    sink.once('close', () => {
      if (sink === this.sink) this.sink = undefined;
    });
    this.publisher?.resume();
  }

  private onConnection(socket: Socket): void {
    this.sockets.add(socket);
    socket.setNoDelay(true);
    // The close event that follows ends the push.
    socket.on('error', () => undefined);
    const admission = setTimeout(() => socket.destroy(), ADMIT_MS);
    const session: RtmpSession = new RtmpSession({
      send: (bytes) => {
        socket.write(bytes);
        if (socket.writableLength > MAX_UNREAD) socket.destroy();
      },
      admit: (app, key) => {
        if (!timingSafeEqual(this.digest(app, key), this.expected)) return 'The application or the key is wrong.';
        if (this.publisher !== undefined) return 'Somebody publishes here already.';
        clearTimeout(admission);
        this.admit(socket);
        return undefined;
      },
      onMedia: (message) => {
        if (socket !== this.publisher) return;
        const { sink } = this;
        const room = this.joiner.tags(message, sink !== undefined).map((bytes) => sink!.write(bytes));
        // Between two ffmpegs the pusher waits, too, in its own queue and in the kernel's.
        if (sink === undefined || room.includes(false)) socket.pause();
      },
      onDone: () => {
        this.depart(socket);
        // The pusher gets time to read the answer, not to stay.
        socket.end();
        setTimeout(() => socket.destroy(), 1000).unref();
      },
    });
    socket.on('data', (bytes: Buffer) => {
      try {
        session.push(bytes);
      } catch {
        // These bytes are not RTMP, or out of bounds: no answer could help a program that sends them.
        socket.destroy();
      }
    });
    socket.once('close', () => {
      clearTimeout(admission);
      this.sockets.delete(socket);
      this.depart(socket);
    });
  }

  private admit(socket: Socket): void {
    this.publisher = socket;
    socket.setTimeout(SILENT_MS, () => {
      if (!socket.isPaused()) socket.destroy();
    });
  }

  /** The end of the pusher is the end of this ffmpeg; the next one waits for the next pusher. */
  private depart(socket: Socket): void {
    if (socket !== this.publisher) return;
    this.publisher = undefined;
    this.joiner.forget();
    this.sink?.end();
    this.sink = undefined;
  }

  /** All digests have one length, and the time of their comparison tells nothing about the key. */
  private digest(app: string, key: string): Buffer {
    return createHmac('sha256', this.salt).update(`${app.length}/${app}/${key}`).digest();
  }
}
