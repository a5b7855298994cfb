/** One caller that an SRT listener lets in: its keys, its media, its silence. */
import { randomBytes } from 'node:crypto';
import { srtKeyBits } from '../../domain/network/srt.ts';
import type { IngestOrder } from '../../domain/shapes/sources/ingest-order.ts';
import {
  acceptance,
  isShutdown,
  readHandshake,
  refusalAnswer,
  SRT_REFUSALS,
  targetOf,
  type LiveRequest,
  type SrtHandshake,
} from '../media/srt/srt-handshake.ts';
import { WINDOW } from '../media/srt/srt-arrivals.ts';
import { keyAnswer, keyRequestOf, SrtKeys } from '../media/srt/srt-keys.ts';
import { SrtReceiver } from '../media/srt/srt-receiver.ts';
import { receiveInTurns } from './srt-turns.ts';

/** A caller that is silent so long has gone. libsrt itself sends something at least every second. */
const SILENT_MS = 3000;
const WATCH_MS = 500;

export interface CallerHooks {
  /** Sends a datagram to the caller. */
  send(data: Buffer): void;
  onConnected(): void;
  /** Its passphrase is wrong. */
  onRefused(): void;
  onMedia(bytes: Buffer): void;
  /** Tells whether nobody notices when the media comes a tenth of a second later. */
  mayWait(): boolean;
  /** It is called once, at the end. */
  onEnd(why: string): void;
}

/** A conclusion, and what it asks for. */
export interface SrtOffer {
  conclusion: Buffer;
  handshake: SrtHandshake;
  request: LiveRequest;
}

export class SrtCaller {
  private readonly hooks: CallerHooks;
  private readonly offer: SrtOffer;
  /** Undefined for a Channel without a passphrase. */
  private readonly keys: SrtKeys | undefined;
  /** The socket of this side that the caller is given: who forges its address does not know it. */
  private readonly socketId = randomBytes(4).readUInt32BE() >>> 2;
  private receiver: SrtReceiver | undefined;
  private readonly tasks: (() => void)[] = [];
  private lastAt = 0;
  private hasEnded = false;

  constructor(order: IngestOrder, offer: SrtOffer, hooks: CallerHooks) {
    this.hooks = hooks;
    this.offer = offer;
    this.keys = srtKeyBits(order.settings) === 0 ? undefined : new SrtKeys(order.settings.passphrase!);
    void this.begin();
  }

  private async begin(): Promise<void> {
    const { conclusion, handshake, request } = this.offer;
    const cameAt = performance.now();
    const isRight = await (this.keys?.take(handshake.keyMaterial ?? Buffer.alloc(0)) ?? true);
    if (this.hasEnded) return;
    if (!isRight) {
      this.hooks.send(refusalAnswer(conclusion, SRT_REFUSALS.badSecret));
      this.hooks.onRefused();
      this.end('It was refused.');
      return;
    }
    const receiver = new SrtReceiver(request, cameAt, {
      send: (datagram) => this.hooks.send(datagram),
      onMedia: (bytes) => this.hooks.onMedia(bytes),
      mayWait: () => this.hooks.mayWait(),
    });
    this.receiver = receiver;
    this.lastAt = performance.now();
    const watch = setInterval(() => this.watch(), WATCH_MS);
    this.tasks.push(receiveInTurns(receiver), () => clearInterval(watch));
    this.accept();
    this.hooks.onConnected();
  }

  private accept(): void {
    const { conclusion, request } = this.offer;
    this.hooks.send(acceptance(conclusion, request, { socketId: this.socketId, window: WINDOW }));
  }

  /** Takes a datagram of the caller. */
  take(data: Buffer): void {
    if (this.receiver === undefined) return;
    if (targetOf(data) === this.socketId) this.takeOwn(this.receiver, data);
    else if (this.repeats(readHandshake(data))) this.accept();
  }

  /**
   * A conclusion is sent again until it is answered. It is no sign of life: an encoder that was started anew from the same port says by its
   * handshakes that the earlier connection is dead.
   */
  private repeats(handshake: SrtHandshake | undefined): boolean {
    const { cookie, socketId } = this.offer.handshake;
    return handshake?.kind === 'conclusion' && handshake.cookie === cookie && handshake.socketId === socketId;
  }

  private takeOwn(receiver: SrtReceiver, data: Buffer): void {
    this.lastAt = performance.now();
    const renewal = this.keys && keyRequestOf(data);
    if (this.keys !== undefined && renewal !== undefined) {
      void this.renew(this.keys, renewal, data);
      return;
    }
    const clear = this.keys === undefined ? data : this.keys.inClear(data);
    if (clear !== undefined) receiver.take(clear, this.lastAt);
    if (isShutdown(data)) this.end('It has ended the stream.');
  }

  /** A caller sends its new key until it is answered, and uses it after some thousand packets. */
  private async renew(keys: SrtKeys, keyMaterial: Buffer, request: Buffer): Promise<void> {
    const isTaken = await keys.take(keyMaterial);
    if (isTaken && !this.hasEnded) this.hooks.send(keyAnswer(request, this.offer.handshake.socketId));
  }

  private watch(): void {
    if (performance.now() - this.lastAt > SILENT_MS) this.end(`It was silent for ${SILENT_MS / 1000} s.`);
  }

  end(why: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    for (const task of this.tasks) task();
    this.hooks.onEnd(why);
  }
}
