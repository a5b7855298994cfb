/**
 * One caller of an SRT listener: an ffmpeg speaks SRT with it, and its datagrams are passed on in both directions. What the caller encrypts ends
 * here: ffmpeg knows neither the passphrase nor that there is one.
 */
import type { ChildProcess } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import type { Socket as NetSocket } from 'node:net';
import { launch } from '../ffmpeg/launch.ts';
import { srtKeyBits } from '../../domain/network/srt.ts';
import { srtCallerArgs } from '../media/arguments/srt-input.ts';
import {
  answerWithKey,
  conclusionInClear,
  inductionOf,
  isShutdown,
  readHandshake,
  refusalAnswer,
  SRT_REFUSALS,
  targetOf,
  withCookie,
  type SrtHandshake,
} from '../media/srt/srt-handshake.ts';
import { keyAnswer, keyRequestOf, SrtKeys } from '../media/srt/srt-keys.ts';
import { PacedReading } from './paced-turns.ts';
import type { IngestOrder } from '../../domain/shapes/sources/ingest-order.ts';
import type { Sandbox } from '../ffmpeg/launch.ts';

const LOOPBACK = '127.0.0.1';
/** ffmpeg takes about 50 ms until it listens. */
const ASK_MS = 20;
/** A caller repeats its handshake every 250 ms. */
const STUCK_MS = 1000;
/** libsrt gives up after 3 s. */
const CONNECT_MS = 4000;
/** A caller that is silent so long has gone. libsrt itself sends something at least every second. */
const SILENT_MS = 3000;
/** So long ffmpeg may write on what it has received, once the caller has left. */
const DRAIN_MS = 700;
/** A turn of 5 Mbit/s. The kernel has room for twice that between ffmpeg and this process. */
const MAX_TURN_BYTES = 65_536;
/** Half a second at 60 Mbit/s; the kernel gives what net.core.rmem_max allows. */
const SOCKET_BYTES = 4 << 20;

export interface CallerHooks {
  /** Sends a datagram to the caller. */
  send(data: Buffer): void;
  onConnected(): void;
  /** Why, as in SRT_REFUSALS. */
  onRefused(reason: number): void;
  /** It went no further, though ffmpeg had its handshake. */
  onLate(): void;
  onMedia(bytes: Buffer): void;
  /** Tells whether nobody notices when the media comes a tenth of a second later. */
  mayWait(): boolean;
  /** It is called once, at the end. */
  onEnd(why: string): void;
}

export class SrtCaller {
  private readonly hooks: CallerHooks;
  private readonly induction: Buffer;
  private readonly firstConclusion: Buffer;
  /** The last one as ffmpeg gets it. */
  private conclusion: Buffer;
  /** The caller as its first conclusion names it. */
  private readonly named: SrtHandshake;
  /** Undefined for a Channel without a passphrase. */
  private readonly keys: SrtKeys | undefined;
  /** The socket of ffmpeg that the caller was told: who forges its address does not know it. */
  private socketId: number | undefined;
  private readonly upstream: Socket;
  private child: ChildProcess | undefined;
  private cookie: number | undefined;
  private lastAt = performance.now();
  private readonly beganAt = performance.now();
  private isConnected = false;
  private hasEnded = false;
  /** It has said goodbye; ffmpeg writes on what it has received. */
  isLeaving = false;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(order: IngestOrder, sandbox: Sandbox, conclusion: Buffer, handshake: SrtHandshake, hooks: CallerHooks) {
    this.hooks = hooks;
    this.keys = srtKeyBits(order.settings) === 0 ? undefined : new SrtKeys(order.settings.passphrase!);
    this.induction = inductionOf(conclusion);
    this.firstConclusion = conclusion;
    this.conclusion = this.forFfmpeg(conclusion);
    this.named = handshake;
    this.upstream = createSocket('udp4');
    // Until ffmpeg listens, the kernel answers that nobody does.
    this.upstream.on('error', () => undefined);
    this.upstream.on('message', (data) => this.onAnswer(data));
    void this.begin(order, sandbox);
  }

  private async begin(order: IngestOrder, sandbox: Sandbox): Promise<void> {
    const { keyMaterial = Buffer.alloc(0) } = this.named;
    const isRight = this.keys === undefined || (await this.keys.take(keyMaterial));
    if (this.hasEnded) return;
    if (!isRight) {
      this.hooks.send(refusalAnswer(this.firstConclusion, SRT_REFUSALS.badSecret));
      this.refuse(SRT_REFUSALS.badSecret);
      return;
    }
    const place = createSocket('udp4');
    place.once('error', () => this.end('No port of this Device was free for it.'));
    place.bind(0, LOOPBACK, () => {
      const { port } = place.address();
      place.close(() => this.open(order, sandbox, port));
    });
  }

  private refuse(reason: number): void {
    this.hooks.onRefused(reason);
    this.end('It was refused.');
  }

  private forFfmpeg(conclusion: Buffer): Buffer {
    return this.keys === undefined ? conclusion : conclusionInClear(conclusion);
  }

  /** Takes a datagram of the caller. */
  take(data: Buffer): void {
    const handshake = readHandshake(data);
    if (handshake !== undefined) return this.takeHandshake(handshake, data);
    if (this.socketId === undefined || targetOf(data) !== this.socketId) return;
    this.lastAt = performance.now();
    const renewal = keyRequestOf(data);
    if (this.keys !== undefined && renewal !== undefined) {
      void this.renew(this.keys, renewal, data);
      return;
    }
    const passed = this.keys === undefined ? data : this.keys.inClear(data);
    if (passed !== undefined) this.pass(passed);
    if (!isShutdown(data)) return;
    this.isLeaving = true;
    this.timers.push(setTimeout(() => this.end('It has ended the stream.'), DRAIN_MS));
  }

  /** A caller sends its new key until it is answered, and uses it after some thousand packets. */
  private async renew(keys: SrtKeys, keyMaterial: Buffer, request: Buffer): Promise<void> {
    const isTaken = await keys.take(keyMaterial);
    if (isTaken && !this.hasEnded) this.hooks.send(keyAnswer(request, this.named.socketId));
  }

  /** A conclusion is sent again until it is answered. */
  private takeHandshake({ kind, cookie, socketId }: SrtHandshake, data: Buffer): void {
    const isOwn = cookie === this.named.cookie && socketId === this.named.socketId;
    if (kind !== 'conclusion' || !isOwn) return;
    // An encoder that was started anew from the same port says with its handshakes that the earlier connection is dead.
    if (!this.isConnected) this.lastAt = performance.now();
    this.conclusion = this.forFfmpeg(data);
    if (this.cookie !== undefined) this.pass(withCookie(this.conclusion, this.cookie));
  }

  private noteLate(): void {
    if (this.cookie !== undefined) this.hooks.onLate();
  }

  /** Another one has come, and this one is stuck. */
  giveWay(): void {
    this.noteLate();
    this.end('It did not go on with its handshake.');
  }

  /** It began to connect, and has been silent since for longer than a handshake is repeated. */
  get isStuck(): boolean {
    return !this.isConnected && performance.now() - this.lastAt > STUCK_MS;
  }

  end(why: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.child?.kill('SIGKILL');
    this.upstream.close();
    this.hooks.onEnd(why);
  }

  private open(order: IngestOrder, sandbox: Sandbox, port: number): void {
    if (this.hasEnded) return;
    const args = srtCallerArgs(order.settings, port);
    const child = launch('ffmpeg', args, { stdio: ['ignore', 'pipe', 'ignore'], work: 'read', sandbox });
    this.child = child;
    child.once('error', () => this.end('ffmpeg could not be started on this Device.'));
    this.read(child.stdout as NetSocket);
    child.once('close', () => this.end('Its connection has ended.'));
    // Without a free descriptor it does not come to that.
    this.timers.push(setInterval(() => this.watch(), 500));
    this.upstream.connect(port, LOOPBACK, () => {
      this.upstream.setRecvBufferSize(SOCKET_BYTES);
      this.upstream.setSendBufferSize(SOCKET_BYTES);
      this.timers.push(setInterval(() => this.ask(), ASK_MS));
    });
  }

  /** ffmpeg writes each datagram by itself, and waits where the kernel has no room for more. */
  private read(stdout: NetSocket): void {
    const pace = new PacedReading(stdout, () => this.hooks.mayWait(), MAX_TURN_BYTES);
    stdout.on('data', (bytes: Buffer) => {
      this.hooks.onMedia(bytes);
      pace.took(bytes);
    });
  }

  /** ffmpeg gets the caller's handshake from its beginning, until it has answered. */
  private ask(): void {
    if (this.cookie === undefined) this.pass(this.induction);
  }

  private watch(): void {
    const now = performance.now();
    const isSilent = now - this.lastAt > SILENT_MS;
    const isLate = !this.isConnected && (isSilent || now - this.beganAt > CONNECT_MS);
    if (!isSilent && !isLate) return;
    if (isLate) this.noteLate();
    this.end(isSilent ? `It was silent for ${SILENT_MS / 1000} s.` : 'It did not connect in time.');
  }

  private onAnswer(data: Buffer): void {
    const handshake = readHandshake(data);
    if (handshake?.kind === 'induction') {
      if (this.cookie !== undefined) return;
      this.cookie = handshake.cookie;
      this.pass(withCookie(this.conclusion, handshake.cookie));
      return;
    }
    const isAccepted = handshake?.kind === 'conclusion';
    if (isAccepted) this.socketId = handshake.socketId;
    this.hooks.send(isAccepted && this.keys !== undefined ? answerWithKey(data, this.firstConclusion) : data);
    if (handshake?.kind === 'refusal') this.refuse(handshake.reason);
    else if (isAccepted && !this.isConnected) {
      this.isConnected = true;
      this.hooks.onConnected();
    }
  }

  private pass(data: Buffer): void {
    // A datagram that is lost is asked for again by SRT. A callback would cost as much as the call.
    if (!this.hasEnded) this.upstream.send(data);
  }
}
