/** Puts caption channel packets of CEA-708 together, which go over several frames, and finds the blocks of a service (CEA-708-E §5, §6.2). */
import { PACKET_DATA, PACKET_START } from './cc-data.ts';

export class ServicePackets {
  private readonly service: number;
  private bytes: number[] = [];

  /** `service`: 1 to 6. */
  constructor(service: number) {
    this.service = service;
  }

  /** Takes a pair of type 2 or 3, and returns the blocks of the packet that it completes. */
  push(type: number, a: number, b: number): Buffer[] {
    if (type === PACKET_START) this.bytes = [a, b];
    else if (type === PACKET_DATA && this.bytes.length > 0) this.bytes.push(a, b);
    const [head] = this.bytes;
    if (head === undefined || this.bytes.length < ((head & 0x3f) * 2 || 128)) return [];
    const packet = Buffer.from(this.bytes);
    this.bytes = [];
    return [...this.blocksIn(packet)];
  }

  reset(): void {
    this.bytes = [];
  }

  private *blocksIn(packet: Buffer): Generator<Buffer> {
    for (let at = 1; at < packet.length;) {
      const [service, length] = [packet[at]! >> 5, packet[at]! & 0x1f];
      if (service === 0 || length === 0) return;
      const from = at + (service === 7 ? 2 : 1);
      if (service === this.service) yield packet.subarray(from, from + length);
      at = from + length;
    }
  }
}
