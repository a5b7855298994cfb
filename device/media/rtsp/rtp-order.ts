/** Puts RTP packets that came as datagrams into the order of their numbers (RFC 3550 §5.1): whoever reads them from a connection expects that. */

/** A network mixes up neighbours; more than this many packets, or a longer wait, means that one is lost. */
const MAX_HELD = 64;
export const MAX_WAIT_MS = 100;
/** A jump beyond this is a new beginning, as of a camera that has started again. */
const MAX_JUMP = 1000;

export class RtpOrder {
  private readonly onPacket: (packet: Buffer) => void;
  private readonly held = new Map<number, Buffer>();
  private next: number | undefined;
  private heldSinceMs = 0;

  constructor(onPacket: (packet: Buffer) => void) {
    this.onPacket = onPacket;
  }

  /** `nowMs` counts from anywhere. Calls `onPacket` for all whose turn it is. */
  push(packet: Buffer, nowMs: number): void {
    if (packet.length < 12) return;
    const number = packet.readUInt16BE(2);
    this.next ??= number;
    const ahead = (number - this.next) & 0xffff;
    if (ahead > MAX_JUMP && ahead < 0x10000 - MAX_JUMP) {
      this.flush();
      this.next = number;
    } else if (ahead >= 0x8000) return;
    if (this.held.size === 0) this.heldSinceMs = nowMs;
    this.held.set(number, packet);
    this.pass();
    if (this.held.size > MAX_HELD || (this.held.size > 0 && nowMs - this.heldSinceMs > MAX_WAIT_MS)) this.skip(nowMs);
  }

  private pass(): void {
    for (let packet = this.held.get(this.next!); packet !== undefined; packet = this.held.get(this.next!)) {
      this.held.delete(this.next!);
      this.next = (this.next! + 1) & 0xffff;
      this.onPacket(packet);
    }
  }

  /** Goes on behind the packets that are lost. */
  private skip(nowMs: number): void {
    const distances = [...this.held.keys()].map((number) => (number - this.next!) & 0xffff);
    this.next = (this.next! + Math.min(...distances)) & 0xffff;
    this.heldSinceMs = nowMs;
    this.pass();
  }

  private flush(): void {
    const from = this.next!;
    const numbers = [...this.held.keys()].sort((a, b) => ((a - from) & 0xffff) - ((b - from) & 0xffff));
    for (const number of numbers) this.onPacket(this.held.get(number)!);
    this.held.clear();
  }
}
