/**
 * Media over HTTP/2 (RFC 9113): many requests at a time on one connection, as players of low latency ask. The first bytes of a connection, or
 * TLS, have said that it is spoken.
 */
import {
  constants,
  performServerHandshake,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Held } from '../connections.ts';
import { busyAnswer, type MediaAnswer } from './answers.ts';
import { isReport, readReport, reportOf } from './audience/cmcd-report.ts';
import { closeFd, mediaAnswer, type MediaRequest } from './media-answer.ts';
import { HEAD_MS, REFUSED_MS, type Elsewhere, type MediaDeps } from './media-connection.ts';
import { piecesOf } from './pieces.ts';
import { isSecured, STRICT_TRANSPORT } from './tls-connections.ts';
import { givingTo, type Giving } from './viewer-limits.ts';

/** A player asks for a playlist and a part of each of its tracks at a time. Each request that is not read has a piece in memory. */
const MAX_REQUESTS = 32;
/** So many requests of a connection have places as good as those of a connection of HTTP/1; further ones have what is left over. */
const FIRST_REQUESTS = 2;
/** A frame has no more by default. */
const PIECE_BYTES = 16 << 10;
/** Megabytes that Node keeps of a session: headers and settings of its requests. */
const MAX_SESSION_MB = 1;
/** Players ask again within a segment, which lasts 30 s at most. */
const IDLE_MS = 65_000;

const OPTIONS = {
  maxSessionMemory: MAX_SESSION_MB,
  settings: { maxConcurrentStreams: MAX_REQUESTS, enablePush: false },
};

type Deps = Omit<MediaDeps, 'http2'>;

/** Answers the function that takes connections. */
export function http2Connections(deps: Deps): Elsewhere {
  return (socket, bytes) => {
    if (socket.destroyed) return;
    if (bytes.length > 0) socket.unshift(bytes);
    new MediaSession(socket, deps).begin();
  };
}

/** A request as one of the viewers: a player sees that an answer is not whole by the code that it ends with. */
class Request implements Held {
  readonly stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream) {
    this.stream = stream;
  }

  get destroyed(): boolean {
    return this.stream.destroyed;
  }

  destroy(): void {
    this.stream.close(constants.NGHTTP2_CANCEL);
    this.stream.destroy();
  }

  once(event: 'close', listener: () => void): void {
    this.stream.once(event, listener);
  }

  off(event: 'close', listener: () => void): void {
    this.stream.off(event, listener);
  }
}

class MediaSession {
  private readonly session: ServerHttp2Session;
  private readonly socket: Socket;
  private readonly deps: Deps;
  private readonly giving: Giving;
  private cancelWait: () => void = () => undefined;

  constructor(socket: Socket, deps: Deps) {
    this.socket = socket;
    this.deps = deps;
    this.giving = givingTo(socket);
    this.session = performServerHandshake(socket, OPTIONS);
  }

  begin(): void {
    const { session } = this;
    session.on('error', ignore).once('close', () => this.cancelWait());
    session.on('stream', (stream, headers) => this.onRequest(new Request(stream), headers));
    this.wait(HEAD_MS);
  }

  /** Frames without a request are no reason to stay. */
  private wait(ms: number): void {
    this.cancelWait();
    this.cancelWait = this.deps.clock.after(ms, () => this.end());
  }

  /** A session alone would wait until its last bytes are taken. */
  private end(): void {
    this.session.destroy();
    this.socket.destroy();
  }

  private onRequest(request: Request, headers: IncomingHttpHeaders): void {
    const { stream } = request;
    const { viewers, addressOf } = this.deps;
    stream.on('error', ignore);
    // It may have been taken back since it came.
    if (stream.destroyed || stream.closed) return request.destroy();
    const header = (name: string): string | undefined => headers[name]?.toString();
    this.deps.onRequest?.(this.socket);
    this.cancelWait();
    this.giving.answers += 1;
    stream.once('close', () => {
      this.giving.answers -= 1;
      if (this.giving.answers === 0 && !this.session.destroyed) this.wait(this.session.closed ? REFUSED_MS : IDLE_MS);
    });
    const isExtra = this.giving.answers > FIRST_REQUESTS;
    const address = addressOf(this.socket, header);
    const refusal = viewers.enter(request, address, isExtra);
    if (refusal !== undefined) return this.refuse(request, refusal);
    const { ':method': method = 'GET', ':path': target = '/' } = headers;
    this.answer(request, { method, target, header }, address).catch(() => request.destroy());
  }

  /** As on a connection of HTTP/1, the reason can be read for a moment, and nothing more is asked here. */
  private refuse(request: Request, reason: string): void {
    const { status, headers, content } = busyAnswer(reason);
    request.stream.respond({ ':status': status, ...headers });
    request.stream.end(content);
    this.session.close();
    this.deps.clock.after(REFUSED_MS, () => request.destroy());
  }

  private async answer(request: Request, wanted: MediaRequest, address: string): Promise<void> {
    const { stream } = request;
    const { clock, sightings } = this.deps;
    if (isReport(wanted)) {
      const content = await readReport(stream, clock, HEAD_MS);
      if (content === undefined) return request.destroy();
      wanted.report = reportOf(this.socket, content, clock.now());
    }
    const media: MediaAnswer = wanted.target.startsWith('/live/')
      ? await mediaAnswer(this.deps, wanted)
      : busyAnswer('This port has media alone.');
    sightings?.note(wanted, address, media.status);
    try {
      if (stream.destroyed) return;
      const secured = isSecured(this.socket) ? STRICT_TRANSPORT : {};
      const isEmpty = media.content === undefined && media.file === undefined && media.stream === undefined;
      stream.respond({ ':status': media.status, ...media.headers, ...secured }, { endStream: isEmpty });
      // A client that leaves its own end open would keep the place of a request that is answered.
      if (isEmpty) return stream.close();
      for await (const piece of piecesOf(media, PIECE_BYTES)) if (!(await this.write(request, piece))) return;
      stream.end();
    } finally {
      if (media.file !== undefined) closeFd(media.file.fd);
    }
  }

  /** Resolves with true when the piece is out, and with false for a request that is over. */
  private write(request: Request, piece: Buffer): Promise<boolean> {
    const { stream } = request;
    if (stream.destroyed || stream.closed) return Promise.resolve(false);
    const begunAt = performance.now();
    const cancelStall = this.deps.clock.after(this.deps.stallMs, () => this.onStall(request, begunAt));
    const written = (): Promise<boolean> =>
      new Promise((resolve) => {
        const end = (isOut: boolean): void => {
          cancelStall();
          stream.off('close', onClose);
          resolve(isOut);
        };
        const onClose = (): void => end(false);
        stream.once('close', onClose);
        stream.write(piece, (error) => end(error == null));
      });
    return this.giving.piece(() => givingTo(request).piece(written));
  }

  /** A player may leave one request alone and read others; a connection of which nothing is read is over. */
  private onStall(request: Request, begunAt: number): void {
    if ((this.giving.takenAt ?? -1) < begunAt) this.end();
    else request.destroy();
  }
}

function ignore(): void {
  // 'close' follows.
}
