/** A TCP port on which RTMP-Push Channels are listened for: it lets in whoever knows application and key of one of them. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { BACKLOG, Connections, type ConnectionLimits } from '../connections.ts';
import { tlsConnections } from '../delivery/tls-connections.ts';
import type { TlsPair } from '../delivery/tls-pair.ts';
import { RtmpSession } from '../media/rtmp/rtmp-session.ts';
import type { Log } from '../../domain/base/log.ts';
import { WrongSecrets } from '../../domain/network/wrong-secrets.ts';
import type { Intake } from './intake.ts';
import { RtmpMedia } from './rtmp-media.ts';
import { PacedReading } from './paced-turns.ts';
import { namesMeant, type RtmpNames } from './rtmp-names.ts';
import { isAllowed, notAllowed, plainAddress } from './senders.ts';

/** Handshake and commands of a far pusher take under 2 s. */
const ADMIT_MS = 10_000;
/** A pusher that is silent so long has gone, and TCP has not noticed. */
const SILENT_MS = 10_000;
/** Connections that were not let in yet. Each may hold 64 KB here until its time is up. */
const MAX_STRANGERS: ConnectionLimits = { perAddress: 192, all: 256 };
/** A pusher may leave so many bytes of our answers unread: all of them together have less than 2 KB after the handshake's 3 KB. */
const MAX_UNREAD = 65_536;
/** A pusher that is refused or has ended gets time to read the answer, not to stay. */
const ANSWER_MS = 1000;
const RETRY_MS = 1000;

export interface RtmpPortOptions {
  host: string;
  port: number;
  log: Log;
  /** Its connections speak TLS. */
  tls?: TlsPair | undefined;
}

export class RtmpPort {
  readonly port: number;
  private readonly host: string;
  private readonly log: Log;
  private readonly tls: TlsPair | undefined;
  /** Takes TLS off a connection, which comes back once its handshake is done. */
  private readonly secure: ((raw: Socket) => void) | undefined;
  private server: Server | undefined;
  private retry: NodeJS.Timeout | undefined;
  private readonly sockets = new Set<Socket>();
  private readonly strangers = new Connections({
    limits: MAX_STRANGERS,
    addressOf: ({ remoteAddress }: Socket) => plainAddress(remoteAddress),
    // An encoder begins at once; every step of it is answered.
    useOf: ({ bytesRead }) => (bytesRead > 0 ? 'begun' : 'silent'),
  });
  private readonly salt = randomBytes(32);
  private readonly wrong = new WrongSecrets();
  private channels: readonly { intake: Intake; digest: Buffer }[] = [];
  private error: string | null = null;
  private isClosed = false;

  constructor({ host, port, log, tls }: RtmpPortOptions) {
    this.host = host;
    this.port = port;
    this.log = log;
    this.tls = tls;
    this.secure = tls && tlsConnections(tls, this.strangers, (socket) => this.onConnection(socket), []);
  }

  /** Gives the port its Channels from now on; pushers that are connected stay. */
  setIntakes(intakes: readonly Intake[]): void {
    this.channels = intakes.map((intake) => {
      const { app = '', stream_key = '' } = intake.order.settings;
      return { intake, digest: this.digest({ app, key: stream_key }) };
    });
    this.setError(this.error);
    if (this.server === undefined) this.begin();
  }

  /** Without a pair no handshake could end. */
  private begin(): void {
    if (this.tls === undefined || this.tls.current !== undefined) return this.open();
    const { certificate, key } = this.tls.files;
    this.setError(`RTMPS waits for a certificate and a key that fit: ${certificate} and ${key} of this Device do not.`);
    this.tls.onPair(() => {
      if (this.server === undefined && !this.isClosed) this.open();
    });
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.retry);
    this.server?.close();
    for (const socket of this.sockets) socket.destroy();
  }

  /** A port that is taken is tried again: whoever has it may leave. */
  private open(): void {
    // A socket that is paused reads on until it holds so many bytes.
    const server = createServer({ highWaterMark: 1 }, (socket) => this.accept(socket));
    this.server = server;
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (this.isClosed) return;
      const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be opened on ${this.host} (${error.code})`;
      this.setError(`TCP port ${this.port} for RTMP ${why} on this Device; set another port in the Channel.`);
      this.retry = setTimeout(() => this.open(), RETRY_MS);
    });
    server.listen({ host: this.host, port: this.port, backlog: BACKLOG }, () => {
      this.setError(null);
      // Once it listens, only an accept(2) can fail, which the pusher tries again.
      server.removeAllListeners('error').on('error', () => undefined);
    });
  }

  private setError(error: string | null): void {
    this.error = error;
    for (const { intake } of this.channels) intake.setError(error);
  }

  private accept(socket: Socket): void {
    socket.on('error', () => undefined);
    if (!this.maySend(plainAddress(socket.remoteAddress))) socket.destroy();
    else if (this.secure !== undefined) this.secure(socket);
    else this.onConnection(socket);
  }

  private onConnection(socket: Socket): void {
    // The close event that follows ends the push.
    socket.on('error', () => undefined);
    const from = plainAddress(socket.remoteAddress);
    if (this.isClosed || !this.strangers.enter(socket)) return void socket.destroy();
    this.sockets.add(socket);
    socket.setNoDelay(true);
    let intake: Intake | undefined;
    let media: RtmpMedia | undefined;
    const admission = setTimeout(() => socket.destroy(), ADMIT_MS);
    const settle = (): void => {
      clearTimeout(admission);
      this.strangers.leave(socket);
    };
    const session: RtmpSession = new RtmpSession({
      send: (bytes) => {
        socket.write(bytes);
        if (socket.writableLength > MAX_UNREAD) socket.destroy();
      },
      admit: (app, key) => {
        const found = this.find({ app, key }, from);
        if (typeof found === 'string') return found;
        settle();
        intake = found;
        media = new RtmpMedia(found);
        socket.setTimeout(SILENT_MS, () => {
          media?.depart(`It was silent for ${SILENT_MS / 1000} s.`);
          socket.destroy();
        });
        found.admit({ from, media, dismiss: () => socket.destroy() });
        return undefined;
      },
      onMedia: (message) => {
        const unread = media?.take(message);
        if (unread === undefined) return;
        media?.depart(unread);
        intake?.refuse('codec', from, unread);
        session.refuse(unread);
      },
      onDone: () => {
        media?.depart('It has ended the stream.');
        socket.end();
        setTimeout(() => socket.destroy(), ANSWER_MS).unref();
      },
    });
    // TLS has a buffer of its own, which goes on being read.
    const pace = new PacedReading(socket, () => this.tls === undefined && intake?.mayWait === true);
    socket.on('data', (bytes: Buffer) => {
      try {
        session.push(bytes);
        pace.took(bytes);
      } catch (error) {
        // These bytes are not RTMP, or out of bounds: no answer could help a program that sends them.
        this.log.warn({ from, port: this.port, reason: (error as Error).message }, 'A connection to RTMP was cut.');
        socket.destroy();
      }
    });
    socket.once('close', () => {
      settle();
      this.sockets.delete(socket);
      media?.depart('Its connection has ended.');
    });
  }

  /** Whom no Channel of this port lets send gets no answer. */
  private maySend(from: string): boolean {
    const refusing = this.channels.filter(({ intake }) => !isAllowed(from, intake.order.settings.allowed_senders));
    if (refusing.length < this.channels.length) return true;
    for (const { intake } of refusing) intake.refuse('sender', from, notAllowed(from));
    return false;
  }

  /** Returns the Channel, or why the pusher is refused. */
  private find(given: RtmpNames, from: string): Intake | string {
    const meant = namesMeant(given);
    const secret = `${given.app}/${given.key}`;
    const waitSeconds = this.wrong.waitSeconds(from, secret);
    if (waitSeconds > 0) return `Too many wrong keys came from this address. Try again in ${waitSeconds} s.`;
    // All are compared, so that the time says nothing either.
    const [found] = meant.map((names) => this.digest(names)).flatMap((digest) => this.intakesOf(digest));
    if (found === undefined) {
      this.wrong.count(from);
      const ofApp = this.channels.filter(({ intake }) => meant.some(({ app }) => app === intake.order.settings.app));
      for (const { intake } of ofApp) intake.refuse('key', from, 'The key is wrong.');
      if (ofApp.length === 0)
        this.log.warn(
          { from, port: this.port },
          'An encoder was refused: no Channel of this port has its application.',
        );
      // Nobody learns which of the two was right.
      return 'The application or the key is wrong.';
    }
    this.wrong.noteRight(from, secret);
    const refused = (reason: 'sender' | 'busy', message: string): string => {
      found.refuse(reason, from, message);
      return message;
    };
    if (!isAllowed(from, found.order.settings.allowed_senders)) return refused('sender', notAllowed(from));
    return found.isBusy ? refused('busy', 'Somebody publishes here already.') : found;
  }

  private intakesOf(given: Buffer): Intake[] {
    return this.channels.filter(({ digest }) => timingSafeEqual(digest, given)).map(({ intake }) => intake);
  }

  /** All digests have one length, and the time of their comparison says nothing about the key. */
  private digest({ app, key }: RtmpNames): Buffer {
    return createHmac('sha256', this.salt).update(`${app.length}/${app}/${key}`).digest();
  }
}
