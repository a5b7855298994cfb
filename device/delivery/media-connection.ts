/**
 * A connection that asks for media: a bare socket with one answer at a time. The memory behind a viewer that does not read is bounded: a
 * piece of a file and the waiting requests, and nothing that HTTP servers keep beside.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { HeaderReader } from '../../domain/network/http-conditions.ts';
import { busyAnswer, type MediaAnswer } from './answers.ts';
import { isReport, MAX_REPORT_BYTES, reportOf, type Report } from './audience/cmcd-report.ts';
import type { Sightings } from './audience/sightings.ts';
import { closeFd, isMediaTarget, mediaAnswer, type MediaPlaces } from './media-answer.ts';
import { piecesOf } from './pieces.ts';
import { headLength, mayBeginHead, MAX_HEAD_BYTES, parseHead, type RequestHead } from './request-head.ts';
import { isSecured, STRICT_TRANSPORT } from './tls-connections.ts';
import { givingTo, type Giving, type Viewers } from './viewer-limits.ts';

/** A viewer takes bytes every second or so; a mobile connection that is gone for longer is as good as dead. */
export const STALL_MS = 17_000;
/** Players ask again within a segment, which lasts 30 s at most. */
const IDLE_MS = 65_000;
/** A request has some 500 bytes, and a client that connects has one ready. */
export const HEAD_MS = 15_000;
/** An answer of one piece is sent with its head: hundreds of viewers get the same playlist at once. */
const MAX_AT_ONCE = 32 << 10;
const LINE_END = Buffer.from('\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
/** RFC 9113 §3.4: a client that knows beforehand that HTTP/2 is spoken here begins with this. */
const HTTP2_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\n');
/** A client that was refused has so long to read the reason. */
export const REFUSED_MS = 2000;

export interface MediaDeps extends MediaPlaces {
  viewers: Viewers;
  /** Milliseconds that a viewer may take no byte of an answer. */
  stallMs: number;
  /** Takes a connection that speaks HTTP/2, with the bytes that were read of it; left out: it is refused. */
  http2?: Elsewhere;
  /** The address that a viewer counts for; the caller decides which proxies it believes. */
  addressOf(socket: Socket, header: HeaderReader): string;
  /** Takes down who watches; left out: nobody counts. */
  sightings?: Pick<Sightings, 'note'>;
  /** It is called for each request on the connection, before it is answered. */
  onRequest?(socket: Socket): void;
}

/** Takes a connection for something else than media, with the bytes that were read of it; nobody reads the socket then. */
export type Elsewhere = (socket: Socket, bytes: Buffer) => void;

/**
 * `bytes` were read already. `elsewhere` takes the connection at the first request that is not for media; without it such a request is
 * refused.
 */
export function serveMedia(socket: Socket, bytes: Buffer, deps: MediaDeps, elsewhere?: Elsewhere): void {
  new MediaConnection(socket, bytes, deps, elsewhere).begin();
}

class MediaConnection {
  private readonly socket: Socket;
  private readonly giving: Giving;
  private readonly deps: MediaDeps;
  private readonly elsewhere: Elsewhere | undefined;
  private pending: Buffer;
  private address: string | undefined;
  private isAnswering = false;
  private isEnded = false;
  private headTimer: (() => void) | undefined;

  constructor(socket: Socket, bytes: Buffer, deps: MediaDeps, elsewhere: Elsewhere | undefined) {
    this.socket = socket;
    this.giving = givingTo(socket);
    this.pending = bytes;
    this.deps = deps;
    this.elsewhere = elsewhere;
  }

  begin(): void {
    const socket = this.socket;
    // A client that has sent all its requests still reads the answers.
    socket.allowHalfOpen = true;
    socket.setNoDelay(true);
    socket.on('data', this.onData).on('end', this.onEnd).on('close', this.onClose);
    socket.on('error', ignore).on('timeout', this.onTimeout);
    socket.resume();
    this.boundHead();
    this.next();
  }

  private boundHead(): void {
    this.headTimer ??= this.deps.clock.after(HEAD_MS, () => void this.socket.destroy());
  }

  private readonly onData = (chunk: Buffer): void => {
    // A client that sends on during an answer asks for more than anybody watches.
    if (this.pending.length + chunk.length > MAX_HEAD_BYTES && this.isAnswering) return void this.socket.destroy();
    this.pending = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    this.next();
  };

  private readonly onEnd = (): void => {
    this.isEnded = true;
    this.next();
  };

  private readonly onClose = (): void => {
    this.headTimer?.();
    this.deps.viewers.leave(this.socket);
    this.address = undefined;
  };

  private readonly onTimeout = (): void => void this.socket.destroy();

  private next(): void {
    if (this.isAnswering || !this.socket.writable) return;
    if (!mayBeginHead(this.pending)) return this.refer(undefined);
    const length = headLength(this.pending);
    if (length === undefined || length > MAX_HEAD_BYTES) {
      if (this.pending.length > MAX_HEAD_BYTES) return this.end(plainText(431, 'The headers are longer than 16 KB.'));
      return this.waitForMore();
    }
    const { http2 } = this.deps;
    if (http2 !== undefined && this.pending.subarray(0, length).equals(HTTP2_PREFACE)) return this.handOver(http2);
    const head = parseHead(this.pending.subarray(0, length));
    if (head === undefined || !isMediaTarget(head.target)) return this.refer(head);
    if (!isReport(head) && head.contentLength > 0) return this.refer(undefined);
    // One byte more than is taken is enough to refuse it.
    const end = length + Math.min(head.contentLength, MAX_REPORT_BYTES + 1);
    if (this.pending.length < end) return this.waitForMore();
    this.headTimer?.();
    this.headTimer = undefined;
    const report = isReport(head)
      ? reportOf(this.socket, this.pending.subarray(length, end), this.deps.clock.now())
      : undefined;
    // The rest is copied, so that a few bytes do not keep the whole chunk in memory.
    this.pending = Buffer.from(this.pending.subarray(end));
    this.isAnswering = true;
    this.giving.answers = 1;
    this.deps.onRequest?.(this.socket);
    this.answer(head, report).then(
      (isKept) => {
        this.isAnswering = false;
        this.giving.answers = 0;
        if (isKept) this.next();
        else this.socket.end();
      },
      () => this.socket.destroy(),
    );
  }

  private waitForMore(): void {
    if (this.isEnded) return void this.socket.end();
    this.socket.setTimeout(IDLE_MS);
    if (this.pending.length > 0) this.boundHead();
  }

  /** Gives the connection, with its request for something else, to `elsewhere`. */
  private refer(head: RequestHead | undefined): void {
    if (this.elsewhere === undefined)
      return this.end(
        head === undefined ? plainText(400, 'The request cannot be read.') : plainText(404, 'Not found.'),
      );
    this.handOver(this.elsewhere);
  }

  private handOver(take: Elsewhere): void {
    const socket = this.socket;
    socket.off('data', this.onData).off('end', this.onEnd).off('close', this.onClose);
    socket.off('error', ignore).off('timeout', this.onTimeout).setTimeout(0);
    socket.pause();
    this.onClose();
    take(socket, this.pending);
  }

  private end(answer: MediaAnswer): void {
    this.isAnswering = true;
    this.deps.clock.after(REFUSED_MS, () => void this.socket.destroy());
    this.socket.end(Buffer.concat([this.headOf(answer, false), answer.content ?? Buffer.alloc(0)]));
  }

  private async answer(head: RequestHead, report: Report | undefined): Promise<boolean> {
    const { method, target, header } = head;
    const refusal = this.enter(header);
    if (refusal !== undefined) {
      this.end(busyAnswer(refusal));
      return false;
    }
    const socket = this.socket;
    // A playlist may be waited for, for a time that has a bound of its own, and so has each piece.
    socket.setTimeout(0);
    const request = { method, target, header, report };
    const answer = await mediaAnswer(this.deps, request);
    this.deps.sightings?.note(request, this.address ?? '', answer.status);
    try {
      // What follows a report that is too long is its rest.
      const mayGoOn = answer.status !== 413 && !(this.isEnded && this.pending.length === 0);
      const isKept = head.isKept && mayGoOn;
      if (answer.stream !== undefined) return await this.sendStream(answer, isKept);
      const { content } = answer;
      if (content !== undefined && content.length <= MAX_AT_ONCE)
        return (await this.write(Buffer.concat([this.headOf(answer, isKept), content]))) && isKept;
      if (!(await this.write(this.headOf(answer, isKept)))) return false;
      let left = Number(answer.headers['content-length'] ?? 0);
      for await (const piece of piecesOf(answer)) {
        if (!(await this.write(piece))) return false;
        left -= piece.length;
      }
      // The content is shorter than announced: only the end of the connection can say so.
      if (left !== 0 && (answer.content ?? answer.file) !== undefined) socket.destroy();
      return isKept;
    } finally {
      if (answer.file !== undefined) closeFd(answer.file.fd);
    }
  }

  /** RFC 9112 §7.1: each piece says its length, since nobody knows that of the whole. */
  private async sendStream(answer: MediaAnswer, isKept: boolean): Promise<boolean> {
    const headers = { ...answer.headers, 'transfer-encoding': 'chunked' };
    if (!(await this.write(this.headOf({ ...answer, headers }, isKept)))) return false;
    for await (const piece of piecesOf(answer)) {
      const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, LINE_END]);
      if (!(await this.write(chunk))) return false;
    }
    return (await this.write(LAST_CHUNK)) && isKept;
  }

  /**
   * Resolves with true when the kernel has the bytes, and with false for a connection that is gone. The timer of the socket would count what
   * comes, too: a viewer that takes nothing could go on sending.
   */
  private async write(bytes: Buffer): Promise<boolean> {
    const { socket, deps } = this;
    if (socket.destroyed || !socket.writable) return false;
    const cancelStall = deps.clock.after(deps.stallMs, () => void socket.destroy());
    return this.giving.piece(
      () =>
        new Promise((resolve) =>
          socket.write(bytes, (error) => {
            cancelStall();
            resolve(error == null);
          }),
        ),
    );
  }

  private headOf({ status, headers }: MediaAnswer, isKept: boolean): Buffer {
    const transport = isSecured(this.socket) ? STRICT_FIELDS : '';
    const date = new Date(this.deps.clock.now()).toUTCString();
    const connection = isKept ? 'keep-alive' : 'close';
    return Buffer.from(
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${fieldsOf(headers)}${transport}date: ${date}\r\nconnection: ${connection}\r\n\r\n`,
    );
  }

  /** A proxy's connection may speak for several viewers in turn. */
  private enter(header: HeaderReader): string | undefined {
    const address = this.deps.addressOf(this.socket, header);
    if (address === this.address) return undefined;
    this.deps.viewers.leave(this.socket);
    this.address = undefined;
    const refusal = this.deps.viewers.enter(this.socket, address);
    if (refusal === undefined) this.address = address;
    return refusal;
  }
}

const fields = new WeakMap<object, string>();

/** Hundreds of viewers get the same answer at once: its lines are made once. */
function fieldsOf(headers: Record<string, string>): string {
  const known = fields.get(headers);
  if (known !== undefined) return known;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const text = lines.join('');
  fields.set(headers, text);
  return text;
}

const STRICT_FIELDS = fieldsOf(STRICT_TRANSPORT);

function plainText(status: number, text: string): MediaAnswer {
  const content = Buffer.from(text);
  const headers = { 'content-type': 'text/plain; charset=UTF-8', 'content-length': String(content.length) };
  return { status, headers, content };
}

function ignore(): void {
  // 'close' follows.
}
