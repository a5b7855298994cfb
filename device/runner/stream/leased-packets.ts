/** Hands packets on while the run has its lease, which is looked at before each of them. */
import type { ElementaryStream } from '../../media/mpeg-ts/psi.ts';
import type { PacketSink, PacketSource } from './fan-out.ts';

export class LeasedPackets implements PacketSource {
  private readonly packets: PacketSource;
  private readonly lease: { readonly isHeld: boolean };
  private readonly guarded = new Map<PacketSink, PacketSink>();

  constructor(packets: PacketSource, lease: { readonly isHeld: boolean }) {
    this.packets = packets;
    this.lease = lease;
  }

  get streams(): Map<number, ElementaryStream> {
    return this.packets.streams;
  }

  get lastDataAt(): number {
    return this.packets.lastDataAt;
  }

  attach(sink: PacketSink): void {
    const { lease } = this;
    const guard: PacketSink = {
      ...(sink.toleratesDelay === true && { toleratesDelay: true }),
      write: (run) => lease.isHeld && sink.write(run),
      begins: () => sink.begins?.(),
      flush: () => lease.isHeld && sink.flush(),
    };
    this.guarded.set(sink, guard);
    this.packets.attach(guard);
  }

  detach(sink: PacketSink): void {
    const guard = this.guarded.get(sink);
    if (guard !== undefined) this.packets.detach(guard);
    this.guarded.delete(sink);
  }
}
