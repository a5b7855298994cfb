/** Passes on what a receiver has not yet had of a copy, from where the killed runner before has ended. */
import { setDiscontinuity } from '../../media/mpeg-ts/mpeg-ts.ts';
import type { PacketRun } from './fan-out.ts';
import { contentOf, type SentPlace } from './sent-units.ts';

export class UnsentUnits {
  private readonly sent: SentPlace;
  private readonly leader: number;
  /** Units to leave out, by pid; undefined before the first keyframe. */
  private rest: Map<number, number> | undefined;
  /** The group is one that has been sent whole. */
  private isSentWhole = false;
  /** Tracks whose present unit is left out. */
  private readonly leaving = new Set<number>();
  /** Tracks that have begun. */
  private readonly begun = new Set<number>();
  /** Nothing more is left out. */
  isOver = false;

  constructor(sent: SentPlace, leader: number) {
    this.sent = sent;
    this.leader = leader;
  }

  /** Some of the first group has been left out: the stream does not begin with a keyframe. */
  get joins(): boolean {
    return this.begun.size > 0 && !this.isOver;
  }

  /** Returns what is new of a run; undefined for one that was sent. */
  take(run: PacketRun): PacketRun | undefined {
    if (this.isOver) return run;
    const { pid, starts, key } = run;
    if (pid === this.leader && key && !this.enters(run)) {
      this.isOver = true;
      return run;
    }
    if (this.rest === undefined) return undefined;
    if (starts) this.turn(pid);
    if (this.leaving.has(pid) || (!starts && !this.begun.has(pid))) return undefined;
    if (this.begun.has(pid)) return run;
    this.begun.add(pid);
    const bytes = Buffer.from(run.bytes);
    setDiscontinuity(bytes, 0);
    return { ...run, bytes };
  }

  /** A group begins; answers whether some of it was sent. */
  private enters(run: PacketRun): boolean {
    // What comes behind units that are new is new.
    if (this.begun.has(this.leader)) return false;
    const { keys, units } = this.sent;
    const place = keys.indexOf(contentOf(run));
    if (place < 0) return false;
    this.isSentWhole = place < keys.length - 1;
    this.rest = new Map(units);
    return true;
  }

  private turn(pid: number): void {
    const left = this.rest!.get(pid) ?? 0;
    if (!this.isSentWhole && left === 0) return void this.leaving.delete(pid);
    this.leaving.add(pid);
    if (!this.isSentWhole) this.rest!.set(pid, left - 1);
  }
}
