/** The packets of one SRT connection from the first that has not been given on: in their order, with holes where some are missing. */
import { HEADER_BYTES, sequenceAfter, sequenceDifference, type SequenceRange } from './srt-packets.ts';

/** So many packets may be under way, and are kept; it is what libsrt takes. */
export const WINDOW = 25_600;
/** Stands for a packet that its sender sends no more. */
const DROPPED = Buffer.alloc(0);

export class SrtArrivals {
  /** Packets by their sequence numbers. */
  private readonly packets = new Map<number, Buffer>();
  /** The first that has not been given on. */
  private next: number;
  /** The one behind the last that has come. */
  private end: number;
  /** The first that is missing, or the one behind the last. */
  private missingFrom: number;

  constructor(first: number) {
    this.next = this.end = this.missingFrom = first;
  }

  /** All before it have come or are waited for no more. */
  get acknowledged(): number {
    return this.missingFrom;
  }

  get room(): number {
    return Math.max(2, WINDOW - sequenceDifference(this.end, this.next));
  }

  get isWhole(): boolean {
    return this.packets.size === sequenceDifference(this.end, this.next);
  }

  /** Takes a packet of media. Answers which ones are missing before it that were not known to be. */
  take(packet: Buffer): SequenceRange | undefined {
    const sequence = packet.readUInt32BE(0);
    const fromNext = sequenceDifference(sequence, this.next);
    if (fromNext < 0 || this.packets.has(sequence)) return undefined;
    if (fromNext >= WINDOW) this.beginAt(sequence);
    this.packets.set(sequence, packet);
    const ahead = sequenceDifference(sequence, this.end);
    const gap: SequenceRange | undefined = ahead > 0 ? [this.end, sequenceAfter(sequence, -1)] : undefined;
    if (ahead >= 0) this.end = sequenceAfter(sequence);
    this.findMissing();
    return gap;
  }

  /** A sender that stood still, and has thrown away what it has not sent, is farther than its receiver can know. */
  private beginAt(sequence: number): void {
    this.packets.clear();
    this.next = this.end = this.missingFrom = sequence;
  }

  /** Packets that are missing in this range do not come any more. */
  giveUp([first, last]: SequenceRange): void {
    const from = Math.max(0, sequenceDifference(first, this.next));
    const to = Math.min(sequenceDifference(last, this.next), sequenceDifference(this.end, this.next) - 1);
    for (let by = from; by <= to; by += 1) {
      const at = sequenceAfter(this.next, by);
      if (!this.packets.has(at)) this.packets.set(at, DROPPED);
    }
    this.findMissing();
  }

  /** Ranges that have not come, though something behind them has. */
  missing(): SequenceRange[] {
    const ranges: SequenceRange[] = [];
    for (let at = this.missingFrom; sequenceDifference(at, this.end) < 0; at = sequenceAfter(at)) {
      if (this.packets.has(at)) continue;
      const first = at;
      while (!this.packets.has(sequenceAfter(at))) at = sequenceAfter(at);
      ranges.push([first, at]);
    }
    return ranges;
  }

  /** The media that is due by `isDue`. What is missing before it is waited for no more. */
  takeDue(isDue: (packet: Buffer) => boolean): Buffer[] {
    const media: Buffer[] = [];
    for (let at = this.next; at !== this.end; at = sequenceAfter(at)) {
      const packet = this.packets.get(at) ?? DROPPED;
      if (packet === DROPPED) continue;
      if (!isDue(packet)) break;
      media.push(packet.subarray(HEADER_BYTES));
      for (; sequenceDifference(this.next, at) <= 0; this.next = sequenceAfter(this.next))
        this.packets.delete(this.next);
    }
    if (sequenceDifference(this.missingFrom, this.next) < 0) this.missingFrom = this.next;
    this.findMissing();
    return media;
  }

  private findMissing(): void {
    while (this.packets.has(this.missingFrom)) this.missingFrom = sequenceAfter(this.missingFrom);
  }
}
