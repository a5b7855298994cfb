/** One rendition as a transport stream that leaves as it is: for receivers that check its tables and its clock, as broadcast ones do. */
import type { ElementaryStream } from '../../media/mpeg-ts/psi.ts';
import { ProgramClock } from '../../media/mpeg-ts/program-clock.ts';
import type { Fragment, FragmentSink } from './fan-out.ts';
import { ProgramView, type ViewStreams } from './program-view.ts';

export class TransportView implements FragmentSink {
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

  write(fragment: Fragment): void {
    this.view.write(fragment);
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

  /** Below 25 frames a second the clock is given between pictures, too, when its time has come. */
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
