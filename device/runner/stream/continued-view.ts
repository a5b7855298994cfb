/** A transport stream of a copy whose receivers go on where the runner before has ended: nothing is sent to them again. */
import type { PacketRun } from './fan-out.ts';
import { SentUnits, type SentPlace } from './sent-units.ts';
import type { TransportView } from './transport-view.ts';
import { UnsentUnits } from './unsent-units.ts';

export interface ContinuedOptions {
  view: TransportView;
  /** The tracks of the view; the first is its picture. */
  pids: readonly number[];
  /** Keeps what has left. */
  file: string;
  /** The place that the runner before has got to. */
  sent: SentPlace | undefined;
}

export class ContinuedView {
  private readonly view: TransportView;
  private readonly pids: readonly number[];
  private readonly units: SentUnits;
  private unsent: UnsentUnits | undefined;
  private hasJoined = false;

  constructor({ view, pids, file, sent }: ContinuedOptions) {
    this.view = view;
    this.pids = pids;
    this.units = new SentUnits(file, pids[0]!);
    if (sent !== undefined) this.unsent = new UnsentUnits(sent, pids[0]!);
  }

  write(run: PacketRun): void {
    if (!this.pids.includes(run.pid)) return this.view.write(run);
    const rest = this.unsent === undefined ? run : this.unsent.take(run);
    this.units.add(run, rest?.bytes.length ?? 0);
    if (rest === undefined) return;
    if (this.unsent?.joins === true && !this.hasJoined) {
      this.hasJoined = true;
      this.view.join(run.pts);
    }
    if (this.unsent?.isOver === true) this.unsent = undefined;
    this.view.write(rest);
  }

  /** The stream has so many bytes more. */
  grown(bytes: number): void {
    this.units.grown(bytes);
  }

  /** All but so many bytes of the stream have left. */
  left(but: number): void {
    this.units.left(but);
  }

  close(): void {
    this.units.close();
  }
}
