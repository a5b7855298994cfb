/**
 * A caller of SRT and the line to its receiver, by a clock of their own: what libsrt does as the sender of a live stream, as far as a receiver
 * can tell (draft-sharabayko-srt-01 §4), in the test's own words.
 */
import { liveRequestOf } from '../../../device/media/srt/srt-handshake.ts';
import { SrtReceiver } from '../../../device/media/srt/srt-receiver.ts';
import { seededRandom } from '../../helpers/random.ts';

export const LATENCY_MS = 200;
const LISTENER_ID = 0x77;
const CALLER_ID = 0x2a;
const DELAY_MS = 15;

export interface LinkOptions {
  /** Out of 1. */
  loss?: number;
  firstSequence?: number;
  /** Microseconds of the caller's clock at the beginning. */
  startedAt?: number;
  /** Microseconds that the caller's clock gains in each second. */
  driftUs?: number;
  mayWait?: boolean;
}

/** Version 5, a cookie, and the request for SRT with the flags of a live sender and 120 ms both ways. */
export function conclusionOf(firstSequence: number, sentAt: number, flags = 0xbf, more = ''): Buffer {
  const word = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');
  const fixed = `80000000 00000000 ${word(sentAt)} 00000000 00000005 00000001 ${word(firstSequence)} 000005dc 00002000`;
  const rest = `ffffffff ${word(CALLER_ID)} cafe0001 0100007f ${'0'.repeat(24)}`;
  return Buffer.from(`${fixed} ${rest} 00010003 00010501 ${word(flags)} 00780078 ${more}`.replaceAll(' ', ''), 'hex');
}

interface Flying {
  at: number;
  take: () => void;
}

export class SrtLink {
  readonly received: Buffer[] = [];
  /** Control packets of the receiver, by their type. */
  readonly controls = new Map<number, Buffer[]>();
  /** Sequence numbers that the receiver has asked for. */
  readonly requested: number[] = [];
  readonly receiver: SrtReceiver;
  nowMs = 1000;
  /** Milliseconds by which the caller's clock differs from what it was at the beginning. */
  jumpMs = 0;
  lossTo: number;
  lossFrom: number;
  private readonly random = seededRandom(5);
  private readonly options: Required<LinkOptions>;
  private readonly sent = new Map<number, Buffer>();
  private readonly flying: Flying[] = [];
  private sequence: number;

  constructor(options: LinkOptions = {}) {
    const known = { loss: 0, firstSequence: 1, startedAt: 0, driftUs: 0, mayWait: false };
    this.options = { ...known, ...options };
    this.lossTo = this.lossFrom = this.options.loss;
    this.sequence = this.options.firstSequence;
    const conclusion = conclusionOf(this.sequence, this.callerTime());
    this.receiver = new SrtReceiver(liveRequestOf(conclusion, LATENCY_MS)!, this.nowMs, {
      send: (datagram) => this.fly(this.lossFrom, () => this.answer(datagram)),
      onMedia: (bytes) => void this.received.push(bytes),
      mayWait: () => this.options.mayWait,
    });
  }

  get text(): string {
    return Buffer.concat(this.received).toString('latin1');
  }

  /** Puts a packet on the line; `isLost` puts it nowhere, as if the line had lost it. */
  sendMedia(text: string, isLost = false): number {
    const { sequence } = this;
    const packet = Buffer.alloc(16 + text.length);
    packet.writeUInt32BE(sequence, 0);
    packet.writeUInt32BE(0xc000_0001, 4);
    packet.writeUInt32BE(this.callerTime(), 8);
    packet.writeUInt32BE(LISTENER_ID, 12);
    packet.write(text, 16, 'latin1');
    this.sent.set(sequence, packet);
    this.sequence = (sequence + 1) & 0x7fff_ffff;
    if (!isLost) this.flyMedia(packet);
    return sequence;
  }

  /** The caller sends these no more, and says so. */
  drop(first: number, last: number): void {
    for (let at = first; at <= last; at += 1) this.sent.delete(at);
    const words = Buffer.alloc(8);
    words.writeUInt32BE(first, 0);
    words.writeUInt32BE(last, 4);
    this.sendControl(7, 1, words.toString('hex'));
  }

  /** A control packet of the caller. */
  sendControl(type: number, information = 0, words = '00000000'): void {
    const packet = Buffer.alloc(16);
    packet.writeUInt16BE(0x8000 | type, 0);
    packet.writeUInt32BE(information, 4);
    packet.writeUInt32BE(this.callerTime(), 8);
    packet.writeUInt32BE(LISTENER_ID, 12);
    const whole = Buffer.concat([packet, Buffer.from(words, 'hex')]);
    this.fly(this.lossTo, () => this.receiver.take(whole, this.nowMs));
  }

  /** Lets so many milliseconds pass, in turns of ten. */
  pass(ms: number): void {
    for (const until = this.nowMs + ms; this.nowMs < until;) {
      this.nowMs += 1;
      for (const one of this.flying.filter(({ at }) => at <= this.nowMs)) {
        this.flying.splice(this.flying.indexOf(one), 1);
        one.take();
      }
      if (this.nowMs % 10 === 0) this.receiver.turn(this.nowMs);
    }
  }

  private callerTime(): number {
    const passedMs = this.nowMs - 1000;
    const { startedAt, driftUs } = this.options;
    const time = Math.floor(startedAt + 1000 * (passedMs + this.jumpMs) + (driftUs * passedMs) / 1000) % 2 ** 32;
    return (time + 2 ** 32) % 2 ** 32;
  }

  private flyMedia(packet: Buffer): void {
    // A buffer of its own, as each datagram has.
    this.fly(this.lossTo, () => this.receiver.take(Buffer.from(packet), this.nowMs));
  }

  /** Some overtake others. */
  private fly(loss: number, take: () => void): void {
    if (this.random() < loss) return;
    this.flying.push({ at: this.nowMs + DELAY_MS + Math.floor(this.random() * 6), take });
  }

  private answer(datagram: Buffer): void {
    const type = datagram.readUInt16BE(0) & 0x7fff;
    this.controls.set(type, [...(this.controls.get(type) ?? []), datagram]);
    if (type === 2) this.sendControl(6, datagram.readUInt32BE(4));
    if (type !== 3) return;
    for (let at = 16; at < datagram.length; at += 4) {
      const word = datagram.readUInt32BE(at);
      const isRange = word >= 0x8000_0000;
      const last = isRange ? datagram.readUInt32BE((at += 4)) : word;
      for (let requested = word & 0x7fff_ffff; ; requested = (requested + 1) & 0x7fff_ffff) {
        this.requested.push(requested);
        const packet = this.sent.get(requested);
        if (packet !== undefined) this.flyMedia(packet);
        if (requested === last) break;
      }
    }
  }
}
