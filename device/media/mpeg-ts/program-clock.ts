/**
 * The clock reference (PCR) of one program, ISO/IEC 13818-1 §2.4.3.5, as broadcast receivers want it: ETSI TR 101 290 §5.2.2 asks for one every
 * 40 ms, and §2.4.2 of the former for the last byte of each access unit before its decoding time.
 */
import { PACKET_BYTES, pidOf } from './mpeg-ts.ts';

const TICKS_PER_SECOND = 27_000_000;
const WRAP = 2 ** 33 * 300;
const MAX_INTERVAL = 0.04 * TICKS_PER_SECOND;
/** A longer time without a frame is an interruption, which nothing fills. */
const INTERRUPTION = TICKS_PER_SECOND;
/**
 * The encoder's clock is a frame's own decoding time when its first byte leaves. A clock that is so much earlier leaves room for its bytes
 * to be spread over a frame's time, for audio that is muxed behind its frame, and for a network's jitter; software players do not wait for it.
 */
const DELAY = 0.2 * TICKS_PER_SECOND;

export class ProgramClock {
  private readonly pid: number;
  /** The last clock that has left, and the last that the encoder wrote. */
  private lastSent: number | undefined;
  private lastWritten: number | undefined;
  private interval = 0;
  private counter = 0;

  constructor(pid: number) {
    this.pid = pid;
  }

  /** Takes whole packets and changes them in place; adds packets of a clock alone where it would be missing for too long. */
  pass(data: Buffer): Buffer {
    const parts: Buffer[] = [];
    let from = 0;
    for (let at = 0; at < data.length; at += PACKET_BYTES) {
      if (pidOf(data, at) !== this.pid) continue;
      const clock = readClock(data, at);
      if (clock !== undefined) {
        if (at > from) parts.push(data.subarray(from, at));
        parts.push(...this.fill(clock));
        from = at;
        this.interval = this.lastWritten === undefined ? 0 : distance(this.lastWritten, clock);
        this.lastWritten = clock;
        this.lastSent = clock;
        writeClock(data, at, clock - DELAY);
      }
      this.counter = data[at + 3]! & 15;
    }
    return parts.length === 0 ? data : Buffer.concat([...parts, data.subarray(from)]);
  }

  /** The clock that the encoder wrote last, in ticks of 27 MHz. */
  get written(): number | undefined {
    return this.lastWritten;
  }

  /** The number of packets of a clock alone that belong between two frames, and their distance in milliseconds. */
  get gaps(): { count: number; everyMs: number } {
    const count = this.interval > MAX_INTERVAL && this.interval < INTERRUPTION ? pieces(this.interval) - 1 : 0;
    return { count, everyMs: this.interval / (count + 1) / (TICKS_PER_SECOND / 1000) };
  }

  /** Returns the packet for gap `n`, from 1; undefined when it is too late for it. */
  between(n: number): Buffer | undefined {
    if (this.lastWritten === undefined || this.lastSent === undefined) return undefined;
    const clock = (this.lastWritten + (n * this.interval) / (this.gaps.count + 1)) % WRAP;
    const ahead = distance(this.lastSent, clock);
    if (ahead === 0 || ahead > INTERRUPTION) return undefined;
    return this.packet(clock);
  }

  private fill(next: number): Buffer[] {
    if (this.lastSent === undefined) return [];
    const [first, gap] = [this.lastSent, distance(this.lastSent, next)];
    if (gap >= INTERRUPTION) return [];
    const count = pieces(gap);
    return Array.from({ length: count - 1 }, (_, i) => this.packet((first + ((i + 1) * gap) / count) % WRAP));
  }

  private packet(clock: number): Buffer {
    this.lastSent = clock;
    const packet = Buffer.alloc(PACKET_BYTES, 0xff);
    // A packet with an adaptation field and no payload keeps the counter (ISO/IEC 13818-1 §2.4.3.3).
    packet.set([0x47, this.pid >> 8, this.pid & 0xff, 0x20 | this.counter, PACKET_BYTES - 5, 0x10]);
    writeClock(packet, 0, clock - DELAY);
    return packet;
  }
}

function pieces(ticks: number): number {
  return Math.max(1, Math.ceil(ticks / MAX_INTERVAL - 1e-6));
}

function distance(from: number, to: number): number {
  return (to - from + WRAP) % WRAP;
}

/** Reads the clock of a packet in ticks of 27 MHz; undefined when it has none. */
export function readClock(data: Buffer, at: number): number | undefined {
  const hasField = (data[at + 3]! & 0x20) !== 0 && data[at + 4]! >= 7;
  if (!hasField || (data[at + 5]! & 0x10) === 0) return undefined;
  const base = data.readUInt32BE(at + 6) * 2 + (data[at + 10]! >> 7);
  return base * 300 + ((data[at + 10]! & 1) << 8) + data[at + 11]!;
}

/** `clock` in ticks of 27 MHz. */
export function writeClock(data: Buffer, at: number, clock: number): void {
  const ticks = Math.round(clock < 0 ? clock + WRAP : clock) % WRAP;
  const [base, extension] = [Math.floor(ticks / 300), ticks % 300];
  data.writeUInt32BE(Math.floor(base / 2), at + 6);
  data[at + 10] = ((base % 2) << 7) | 0x7e | (extension >> 8);
  data[at + 11] = extension & 0xff;
}
