/** A transport stream in datagrams: seven packets each, plain (UDP) or behind an RTP header (RFC 3550 §5.1, RFC 2250 §2). */
import { isIPv6 } from 'node:net';
import { assertDeliverable } from '../../../domain/network/delivery-address.ts';
import { bareHost } from '../../../domain/network/networks.ts';
import { PACKET_BYTES, TICKS_PER_SECOND } from './mpeg-ts.ts';

const PAYLOAD_BYTES = 7 * PACKET_BYTES;
/** RFC 3551 §6: MP2T, 90 kHz. */
const PAYLOAD_TYPE = 33;
const VERSION_2 = 0x80;

/** A packet of pid 0x1fff, which receivers throw away (ISO/IEC 13818-1 §2.4.3.3). */
const NULL_PACKET = Buffer.alloc(PACKET_BYTES, 0xff);
NULL_PACKET.set([0x47, 0x1f, 0xff, 0x10]);
/** A whole datagram without media. */
export const NULL_DATAGRAM = Buffer.concat(Array<Buffer>(7).fill(NULL_PACKET));

export interface DatagramTarget {
  rtp: boolean;
  /** Name or address, without brackets. */
  host: string;
  port: number;
  /** Routers, or for a group networks, that a datagram may cross. */
  ttl: number | undefined;
  /** Address of the interface of this machine by which datagrams leave. */
  localAddress: string | undefined;
}

/**
 * Reads `udp://host:port?ttl=4&localaddr=10.0.0.1`; `udp://@group:port` is understood as well. Options of other programs for a receiver
 * (fifo_size, buffer_size …) are left alone. Throws TypeError.
 */
export function datagramTarget(address: string): DatagramTarget {
  assertDeliverable(address);
  const { protocol, hostname, port, searchParams } = new URL(address);
  const ttlText = searchParams.get('ttl');
  const ttl = ttlText === null ? undefined : Number(ttlText);
  const localAddress = searchParams.get('localaddr') ?? undefined;
  return { rtp: protocol === 'rtp:', host: bareHost(hostname), port: Number(port), ttl, localAddress };
}

/** Groups are 224.0.0.0/4 and ff00::/8. */
export function isMulticast(address: string): boolean {
  if (isIPv6(address)) return /^ff/iu.test(address);
  const first = Number(address.split('.')[0]);
  return first >= 224 && first <= 239;
}

/** Makes whole datagrams only; the rest waits for the next packets, at most a few units of audio. */
export class DatagramCutter {
  private rest: Buffer = Buffer.alloc(0);

  /** `bytes` are whole packets. */
  push(bytes: Buffer): Buffer[] {
    const data = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const datagrams: Buffer[] = [];
    let at = 0;
    for (; at + PAYLOAD_BYTES <= data.length; at += PAYLOAD_BYTES)
      datagrams.push(data.subarray(at, at + PAYLOAD_BYTES));
    this.rest = Buffer.from(data.subarray(at));
    return datagrams;
  }

  /** Bytes of the rest. */
  get bytes(): number {
    return this.rest.length;
  }

  /** Returns the rest, filled up with null packets: receivers count on the length. */
  finish(): Buffer[] {
    if (this.rest.length === 0) return [];
    const missing = (PAYLOAD_BYTES - this.rest.length) / PACKET_BYTES;
    return this.push(Buffer.concat(Array<Buffer>(missing).fill(NULL_PACKET)));
  }
}

export interface RtpStart {
  /** All three are random, RFC 3550 §5.1: 16, 32 and 32 bits. */
  sequence: number;
  timestamp: number;
  ssrc: number;
}

export class RtpHeaders {
  private sequence: number;
  private readonly start: RtpStart;

  constructor(start: RtpStart) {
    this.start = start;
    this.sequence = start.sequence;
  }

  /** Returns the next header. `ms` is a steady clock: RFC 2250 wants the time at which the datagram is sent. */
  next(ms: number): Buffer {
    const header = Buffer.alloc(12);
    header[0] = VERSION_2;
    header[1] = PAYLOAD_TYPE;
    header.writeUInt16BE(this.sequence, 2);
    const ticks = this.start.timestamp + Math.round((ms / 1000) * TICKS_PER_SECOND);
    header.writeUInt32BE(ticks % 2 ** 32, 4);
    header.writeUInt32BE(this.start.ssrc, 8);
    this.sequence = (this.sequence + 1) & 0xffff;
    return header;
  }
}

/** Spreads the datagrams of a frame over about its own length, so that a keyframe does not overrun a receiver's buffer. */
export class Pacer {
  private readonly queue: Buffer[] = [];
  private readonly spreadMs: number;
  private dueMs = 0;
  bytes = 0;

  constructor(spreadMs: number) {
    this.spreadMs = spreadMs;
  }

  add(datagrams: readonly Buffer[], nowMs: number): void {
    if (datagrams.length === 0) return;
    for (const datagram of datagrams) {
      this.queue.push(datagram);
      this.bytes += datagram.length;
    }
    this.dueMs = nowMs + this.spreadMs;
  }

  /** Returns the datagrams to send now, when the next call comes in about `tickMs`. */
  take(nowMs: number, tickMs: number): Buffer[] {
    const ticksLeft = Math.max(1, Math.round((this.dueMs - nowMs) / tickMs));
    const taken = this.queue.splice(0, Math.ceil(this.queue.length / ticksLeft));
    for (const { length } of taken) this.bytes -= length;
    return taken;
  }
}
