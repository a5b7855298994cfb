/**
 * The receiver of one live SRT connection (draft-sharabayko-srt-01 §4): packets are put in order, asked for again where they are missing,
 * acknowledged, and given on when they are due. Times that come in are milliseconds of a clock that never goes back.
 */
import type { LiveRequest } from './srt-handshake.ts';
import { SrtArrivals } from './srt-arrivals.ts';
import {
  controlPacket,
  controlTypeOf,
  HEADER_BYTES,
  lossList,
  readDropRequest,
  type ControlType,
  type SequenceRange,
} from './srt-packets.ts';
import { SrtTime } from './srt-time.ts';

/** A third as often as libsrt: each costs two datagrams, and frees what the sender keeps for repetition. */
const ACK_MS = 30;
const KEEPALIVE_MS = 1000;
/** A missing packet is asked for again after a way there and back, and not sooner. */
const MIN_NAK_MS = 20;
/** Before it is known. */
const [FIRST_ROUND_TRIP_MS, FIRST_VARIANCE_MS] = [100, 50];
const MAX_UNANSWERED = 64;
/** Media waits so long where nobody notices. */
const TURN_MS = 100;

export interface SrtReceiverHooks {
  /** Sends a datagram to the caller. */
  send(datagram: Buffer): void;
  onMedia(bytes: Buffer): void;
  /** Tells whether nobody notices when the media comes a tenth of a second later. */
  mayWait(): boolean;
}

export class SrtReceiver {
  private readonly hooks: SrtReceiverHooks;
  private readonly callerId: number;
  private readonly beganAt: number;
  private readonly arrivals: SrtArrivals;
  private readonly time: SrtTime;
  private readonly roundTrip = { ms: FIRST_ROUND_TRIP_MS, variance: FIRST_VARIANCE_MS, isKnown: false };
  /** The acknowledgements that the caller has not answered: when each was sent, and what it acknowledges. */
  private readonly unanswered = new Map<number, { at: number; upTo: number }>();
  private ackNumber = 0;
  /** The caller knows that all before it has come. */
  private known: number;
  private lastAck: { at: number; upTo: number };
  private lastNakAt = 0;
  private lastSentAt: number;
  private lastMediaAt = 0;
  private readonly rate: { since: number; packets: number; bytes: number; perSecond: readonly [number, number] };

  /** `nowMs` is when the request came. */
  constructor(request: LiveRequest, nowMs: number, hooks: SrtReceiverHooks) {
    this.hooks = hooks;
    this.callerId = request.socketId;
    this.arrivals = new SrtArrivals(request.firstSequence);
    this.time = new SrtTime(request.sentAt, 1000 * nowMs, 1000 * request.latencyMs);
    this.known = request.firstSequence;
    this.lastAck = { at: nowMs, upTo: request.firstSequence };
    this.beganAt = this.lastSentAt = nowMs;
    this.rate = { since: nowMs, packets: 0, bytes: 0, perSecond: [0, 0] };
  }

  /** Takes a datagram of the caller, with its media in clear. */
  take(datagram: Buffer, nowMs: number): void {
    if (datagram.length < HEADER_BYTES) return;
    const control = controlTypeOf(datagram);
    if (control !== undefined) this.takeControl(control, datagram, nowMs);
    else if (datagram[0]! < 0x80 && !isParity(datagram)) this.takeMedia(datagram, nowMs);
  }

  /** It is called a hundred times a second. */
  turn(nowMs: number): void {
    if (nowMs - this.lastMediaAt >= TURN_MS || !this.hooks.mayWait()) this.giveDue(nowMs);
    this.acknowledge(nowMs);
    this.askAgain(nowMs);
    if (nowMs - this.lastSentAt >= KEEPALIVE_MS) this.send('keepalive', nowMs);
  }

  /** Gives on all that has come. */
  finish(): void {
    this.give(this.arrivals.takeDue(() => true));
  }

  private takeMedia(packet: Buffer, nowMs: number): void {
    this.rate.packets += 1;
    this.rate.bytes += packet.length;
    this.time.noteMedia(packet.readUInt32BE(8), 1000 * nowMs);
    const gap = this.arrivals.take(packet);
    if (gap !== undefined) this.askFor([gap], nowMs);
  }

  private takeControl(type: ControlType, packet: Buffer, nowMs: number): void {
    if (type === 'ackAck') this.takeAnswer(packet, nowMs);
    else if (type === 'drop') {
      const dropped = readDropRequest(packet);
      if (dropped !== undefined) this.arrivals.giveUp(dropped);
    } else if (type === 'shutdown') this.finish();
  }

  /** An acknowledgement is answered at once, which tells how long the way there and back is. */
  private takeAnswer(packet: Buffer, nowMs: number): void {
    this.time.noteAnswer(packet.readUInt32BE(8), 1000 * nowMs);
    const number = packet.readUInt32BE(4);
    const ack = this.unanswered.get(number);
    if (ack === undefined) return;
    for (const sent of this.unanswered.keys()) if (sent <= number) this.unanswered.delete(sent);
    this.known = ack.upTo;
    const [{ roundTrip }, took] = [this, nowMs - ack.at];
    const { ms, variance, isKnown } = roundTrip;
    roundTrip.variance = isKnown ? (3 * variance + Math.abs(took - ms)) / 4 : took / 2;
    roundTrip.ms = isKnown ? (7 * ms + took) / 8 : took;
    roundTrip.isKnown = true;
  }

  private giveDue(nowMs: number): void {
    const now = 1000 * nowMs;
    this.give(this.arrivals.takeDue((packet) => this.time.dueAt(packet.readUInt32BE(8)) <= now));
    this.lastMediaAt = nowMs;
  }

  private give(media: readonly Buffer[]): void {
    if (media.length > 0) this.hooks.onMedia(media.length === 1 ? media[0]! : Buffer.concat(media));
  }

  private acknowledge(nowMs: number): void {
    const { acknowledged: upTo } = this.arrivals;
    const { at, upTo: last } = this.lastAck;
    // One that was lost is sent again.
    const waitMs = upTo === last ? Math.max(ACK_MS, this.patienceMs) : ACK_MS;
    if (upTo === this.known || nowMs - at < waitMs) return;
    this.ackNumber += 1;
    this.lastAck = { at: nowMs, upTo };
    this.unanswered.set(this.ackNumber, this.lastAck);
    if (this.unanswered.size > MAX_UNANSWERED) this.unanswered.delete(this.unanswered.keys().next().value!);
    const { ms, variance } = this.roundTrip;
    const [packets, bytes] = this.measuredRate(nowMs);
    const words = [upTo, 1000 * ms, 1000 * variance, this.arrivals.room, packets, packets, bytes];
    this.send('ack', nowMs, words, this.ackNumber);
  }

  /** Packets and bytes of the last second. */
  private measuredRate(nowMs: number): readonly [number, number] {
    const { rate } = this;
    const seconds = (nowMs - rate.since) / 1000;
    if (seconds >= 1) {
      rate.perSecond = [Math.round(rate.packets / seconds), Math.round(rate.bytes / seconds)];
      [rate.since, rate.packets, rate.bytes] = [nowMs, 0, 0];
    }
    return rate.perSecond;
  }

  private askAgain(nowMs: number): void {
    if (this.arrivals.isWhole || nowMs - this.lastNakAt < Math.max(MIN_NAK_MS, this.patienceMs)) return;
    const missing = this.arrivals.missing();
    if (missing.length > 0) this.askFor(missing, nowMs);
  }

  private askFor(missing: readonly SequenceRange[], nowMs: number): void {
    this.lastNakAt = nowMs;
    this.send('nak', nowMs, lossList(missing));
  }

  /** An answer takes hardly longer. */
  private get patienceMs(): number {
    return this.roundTrip.ms + 4 * this.roundTrip.variance;
  }

  private send(type: ControlType, nowMs: number, words?: readonly number[], information?: number): void {
    this.lastSentAt = nowMs;
    const sending = { socketId: this.callerId, microseconds: 1000 * (nowMs - this.beganAt) };
    this.hooks.send(controlPacket(type, sending, words, information));
  }
}

/** A packet filter numbers its packets with the number of another one, and has no message. */
function isParity(packet: Buffer): boolean {
  return (packet.readUInt32BE(4) & 0x03ff_ffff) === 0;
}
