/** One rendition as a transport stream that receivers get as it is: broadcast ones check its tables and its clock. */
import type { ElementaryStream } from '../../media/mpeg-ts/psi.ts';
import { ProgramClock } from '../../media/mpeg-ts/program-clock.ts';
import type { PacketRun, PacketSink } from './fan-out.ts';
import { ProgramView, type ViewStreams } from './program-view.ts';

export class TransportView implements PacketSink {
  private readonly view: ProgramView;
  private readonly clock: ProgramClock;
  private readonly out: (bytes: Buffer) => void;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(streams: ViewStreams, known: ReadonlyMap<number, ElementaryStream>, out: (bytes: Buffer) => void) {
    this.out = out;
    this.clock = new ProgramClock([...streams.videos, ...streams.audios][0]!);
    this.view = new ProgramView({ ...streams, metadata: true }, known, (bytes) => this.take(bytes));
  }

  write(run: PacketRun): void {
    this.view.write(run);
  }

  join(pts: number | undefined): void {
    this.view.join(pts);
  }

  flush(): void {
    this.view.flush();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private take(bytes: Buffer): void {
    const before = this.clock.written;
    this.out(this.clock.pass(bytes));
    if (this.clock.written === before) return;
    clearTimeout(this.timer);
    this.later(1);
  }

  /** Below 25 frames a second the clock is sent between frames, too, when its time has come. */
  private later(n: number): void {
    const { count, everyMs } = this.clock.gaps;
    if (n > count || this.closed) return;
    this.timer = setTimeout(() => {
      const packet = this.clock.between(n);
      if (packet !== undefined) this.out(packet);
      this.later(n + 1);
    }, everyMs);
  }
}
