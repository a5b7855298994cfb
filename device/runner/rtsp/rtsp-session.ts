/** One connection of ffmpeg to the relay, and the relay's own to the server: requests one way, answers and media the other. */
import type { Socket } from 'node:net';
import type { Reach } from '../../../domain/network/networks.ts';
import { Authorizer, chooseChallenge, credentialsOf, type Credentials } from '../../media/rtsp/rtsp-auth.ts';
import { RtspAddresses } from '../../media/rtsp/rtsp-addresses.ts';
import { headerOf, headerValues, writeMessage, type RtspMessage } from '../../media/rtsp/rtsp-message.ts';
import { parseTransport, tcpTransport } from '../../media/rtsp/rtsp-transport.ts';
import { connectToServer } from './rtsp-connection.ts';
import {
  ASKS_ON,
  failureOfConnection,
  failureOfCredentials,
  failureOfRedirect,
  failureOfStatus,
  failureOfTransport,
  NO_ANSWER,
  NO_PORTS,
  NO_RTSP,
  OTHER_TRANSPORT,
  statusLine,
  type Failure,
} from './rtsp-reasons.ts';
import { RtspTracks, type Track } from './rtsp-tracks.ts';

export interface RtspTarget {
  /** With credentials, where the server wants some. */
  source: URL;
  transport: 'auto' | 'tcp' | 'udp';
  reach: Reach;
  /** PEM. */
  authorities(): string[];
  /** Milliseconds that the server has for each answer. */
  answerMs: number;
}

/** One request of ffmpeg; it may take several to the server. */
interface Exchange {
  method: string;
  uri: string;
  /** ffmpeg's own; undefined for a request of the relay. */
  clientNumber: string | undefined;
  headers: [string, string][];
  body: Buffer;
  timer: NodeJS.Timeout | undefined;
  proofs: number;
  channels: [number, number];
  track: Track | undefined;
}

/** A first proof, and one more for a nonce that is too old. */
const MAX_PROOFS = 2;
/** ffmpeg has one request under way, or two at its end. */
const MAX_EXCHANGES = 16;
/** A server may leave so much of the answers to its own requests unread, one of which has some 50 bytes. */
const MAX_UNREAD_BYTES = 65_536;
const GOODBYE_MS = 500;
/** The relay makes these itself, or they name the server. */
const OWN_HEADERS = new Set(['cseq', 'authorization', 'content-length', 'transport']);
const PASSED_HEADERS = new Set(['session', 'range', 'public', 'content-type', 'scale', 'speed', 'date']);

export class RtspSession {
  private readonly client: Socket;
  private readonly answerMs: number;
  private readonly server: Socket | undefined;
  private readonly addresses: RtspAddresses;
  private readonly credentials: Credentials | undefined;
  private readonly tracks: RtspTracks;
  private readonly exchanges = new Map<number, Exchange>();
  private isTcp: boolean;
  private readonly isAuto: boolean;
  private authorizer: Authorizer | undefined;
  private number = 0;
  private sessionId: string | undefined;
  private failure: Failure | undefined;
  private isClosed = false;

  constructor(client: Socket, alias: string, { source, transport, reach, authorities, answerMs }: RtspTarget) {
    this.client = client;
    this.answerMs = answerMs;
    this.isTcp = transport !== 'udp';
    this.isAuto = transport === 'auto';
    this.credentials = credentialsOf(source);
    this.addresses = new RtspAddresses(alias, addressWithoutUser(source));
    this.tracks = new RtspTracks(client);
    try {
      this.server = connectToServer(source, reach, authorities, {
        onMessage: (message) => void this.answer(message),
        onFrame: (frame) => this.frameOfServer(frame),
        onEnd: (failure) => this.end(failure),
      });
    } catch (error) {
      this.failure = failureOfConnection(error as Error);
    }
  }

  /** Takes a request of ffmpeg. */
  request({ start, headers, body }: RtspMessage): void {
    const [method = '', address = ''] = start.split(' ');
    const uri = this.addresses.atServer(method, address);
    const clientNumber = headerOf({ headers }, 'cseq') ?? '0';
    const exchange: Exchange = {
      method,
      uri: uri ?? '',
      clientNumber,
      headers,
      body,
      timer: undefined,
      proofs: 0,
      channels: parseTransport(headerOf({ headers }, 'transport') ?? '').interleaved ?? [0, 1],
      track: undefined,
    };
    if (uri === undefined || this.exchanges.size >= MAX_EXCHANGES) return this.refuse(exchange, NO_RTSP);
    if (this.failure !== undefined) return this.refuse(exchange, this.failure);
    exchange.timer = setTimeout(() => this.refuse(exchange, NO_ANSWER), this.answerMs);
    void this.send(exchange);
  }

  /** A report of ffmpeg to the server. */
  frameOfClient(frame: Buffer): void {
    if (!this.isTcp) this.tracks.report(frame);
    else if (this.server?.writable === true && !this.server.write(frame)) {
      this.client.pause();
      this.server.once('drain', () => this.client.resume());
    }
  }

  /** The server is told that the session is over, which by UDP it would not see. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const { timer } of this.exchanges.values()) clearTimeout(timer);
    this.tracks.close();
    const { server } = this;
    if (server === undefined || server.destroyed) return;
    if (this.sessionId !== undefined) {
      const uri = this.addresses.atServer('TEARDOWN', this.addresses.alias)!;
      const headers: [string, string][] = [['Session', this.sessionId]];
      void this.send({ ...OF_THE_RELAY, method: 'TEARDOWN', uri, headers });
    }
    server.resume();
    server.end();
    setTimeout(() => server.destroy(), GOODBYE_MS).unref();
  }

  private async send(exchange: Exchange): Promise<void> {
    const { method, uri, headers, body, channels } = exchange;
    const own: [string, string][] = headers.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
    if (method === 'SETUP') {
      try {
        if (!this.isTcp) exchange.track ??= await this.tracks.open(this.server!, channels);
      } catch {
        // The ports of this machine are taken.
        return this.refuse(exchange, NO_PORTS);
      }
      own.push(['Transport', exchange.track?.transport ?? tcpTransport(channels)]);
    }
    if (method === 'TEARDOWN') this.sessionId = undefined;
    this.number += 1;
    this.exchanges.set(this.number, exchange);
    const proof = this.authorizer?.authorize(method, uri);
    if (proof !== undefined) own.push(['Authorization', proof]);
    own.unshift(['CSeq', String(this.number)]);
    if (this.server?.writable === true)
      this.server.write(writeMessage({ start: `${method} ${uri} RTSP/1.0`, headers: own, body }));
  }

  private async answer(message: RtspMessage): Promise<void> {
    const number = Number(headerOf(message, 'cseq') ?? Number.NaN);
    if (!message.start.startsWith('RTSP/')) return this.answerServer(message);
    const exchange = this.exchanges.get(number);
    // An answer that came too late has nobody to go to.
    if (exchange === undefined) return;
    this.exchanges.delete(number);
    if (exchange.clientNumber === undefined || this.isClosed) return;
    const status = Number(message.start.slice(9, 12));
    if (status === 401 && this.proves(exchange, message)) return this.send(exchange);
    if (status === 461 && exchange.method === 'SETUP' && this.isAuto && this.isTcp && this.sessionId === undefined) {
      this.isTcp = false;
      return this.send(exchange);
    }
    const failure = this.failureIn(exchange, status, message);
    if (failure !== undefined) return this.refuse(exchange, failure);
    try {
      this.pass(exchange, message);
    } catch {
      // The description of the media is beyond the bounds.
      this.refuse(exchange, NO_RTSP);
    }
  }

  /** Tells whether the request can be sent once more, with a proof that the server has not refused yet. */
  private proves(exchange: Exchange, message: RtspMessage): boolean {
    const challenge = chooseChallenge(headerValues(message, 'www-authenticate'));
    if (challenge === undefined || this.credentials === undefined || exchange.proofs >= MAX_PROOFS) return false;
    const isFirst = exchange.proofs === 0;
    // A nonce that was good for the requests before may be too old, which not every server says.
    if (!isFirst && !challenge.isStale) return false;
    exchange.proofs += 1;
    this.authorizer = new Authorizer(this.credentials, challenge);
    return true;
  }

  private failureIn({ method }: Exchange, status: number, message: RtspMessage): Failure | undefined {
    if (status === 401) return failureOfCredentials(this.credentials !== undefined);
    if (status >= 300 && status < 400) return failureOfRedirect(headerOf(message, 'location'));
    if (status === 461 && method === 'SETUP') return failureOfTransport(this.isTcp, this.isAuto && !this.isTcp);
    return status >= 200 && status < 300 ? undefined : failureOfStatus(status);
  }

  private pass(exchange: Exchange, message: RtspMessage): void {
    const { method, track, channels } = exchange;
    const headers = message.headers.filter(([name]) => PASSED_HEADERS.has(name.toLowerCase()));
    const body = method === 'DESCRIBE' ? this.addresses.rewriteDescription(message) : message.body;
    if (method === 'SETUP') {
      const transport = parseTransport(headerOf(message, 'transport') ?? '');
      if (transport.isTcp !== this.isTcp) return this.refuse(exchange, OTHER_TRANSPORT);
      track?.pair.answerTo(transport.serverPorts);
      headers.push(['Transport', tcpTransport(this.isTcp ? (transport.interleaved ?? channels) : channels)]);
      this.sessionId = headerOf(message, 'session')?.split(';')[0]?.trim() ?? this.sessionId;
    }
    const info = headerOf(message, 'rtp-info');
    const known = info === undefined ? '' : this.addresses.rewriteInfo(info);
    if (known !== '') headers.push(['RTP-Info', known]);
    this.reply(exchange, 'RTSP/1.0 200 OK', headers, body);
  }

  private refuse(exchange: Exchange, failure: Failure): void {
    this.reply(exchange, statusLine(failure), [], Buffer.alloc(0));
  }

  private reply(exchange: Exchange, start: string, headers: [string, string][], body: Buffer): void {
    clearTimeout(exchange.timer);
    for (const [number, known] of this.exchanges) if (known === exchange) this.exchanges.delete(number);
    if (exchange.clientNumber === undefined || !this.client.writable) return;
    this.client.write(writeMessage({ start, headers: [['CSeq', exchange.clientNumber], ...headers], body }));
  }

  /** A server may ask, too; it is answered that nothing of it is known here (RFC 2326 §11.3.1). */
  private answerServer(message: RtspMessage): void {
    const isMoving = /^(?:REDIRECT|TEARDOWN) /u.test(message.start);
    const headers: [string, string][] = [['CSeq', headerOf(message, 'cseq') ?? '0']];
    const start = isMoving ? 'RTSP/1.0 200 OK' : 'RTSP/1.0 501 Not Implemented';
    this.server?.write(writeMessage({ start, headers, body: Buffer.alloc(0) }));
    if ((this.server?.writableLength ?? 0) > MAX_UNREAD_BYTES) {
      this.end(ASKS_ON);
      this.server?.destroy();
    }
    // The media ends here; where the server sends its readers to is not followed.
    if (isMoving) this.client.end();
  }

  private frameOfServer(frame: Buffer): void {
    if (!this.isTcp || !this.client.writable || this.client.write(frame)) return;
    this.server?.pause();
    this.client.once('drain', () => this.server?.resume());
  }

  private end(failure: Failure): void {
    if (this.failure !== undefined) return;
    this.failure = failure;
    for (const exchange of [...this.exchanges.values()]) this.refuse(exchange, failure);
    this.tracks.close();
    // Before its first answer ffmpeg is to read the reason; behind it a connection that ends says enough.
    if (this.sessionId !== undefined) this.client.end();
  }
}

const OF_THE_RELAY = {
  clientNumber: undefined,
  body: Buffer.alloc(0),
  timer: undefined,
  proofs: 0,
  channels: [0, 1] as [number, number],
  track: undefined,
};

/** The address as it was written, without credentials and without a part that stays at the client. */
function addressWithoutUser(source: URL): string {
  const plain = new URL(source.href);
  plain.username = '';
  plain.password = '';
  plain.hash = '';
  return plain.href;
}
