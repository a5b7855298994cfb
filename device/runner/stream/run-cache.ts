/** The runs since the last keyframe, with which a Destination that joins begins. */
import { MAX_BUFFERED_BYTES } from '../../media/ladder/ladder-plan.ts';
import { KeptGroup } from '../../media/mpeg-ts/kept-group.ts';

export class RunCache<Run extends { bytes: Buffer }> {
  private kept: { run: Omit<Run, 'bytes'>; length: number }[] = [];
  /** The bytes of the runs, one behind the other. */
  private readonly group = new KeptGroup();

  get isEmpty(): boolean {
    return this.kept.length === 0;
  }

  clear(): void {
    this.kept = [];
    this.group.clear();
  }

  /** A source in copy mode without keyframes must not fill the memory: a cache that grows too long is given up until the next one. */
  add({ bytes, ...run }: Run): void {
    if (this.group.length + bytes.length > MAX_BUFFERED_BYTES) return this.clear();
    this.group.add(bytes);
    this.kept.push({ run, length: bytes.length });
  }

  /** They are those of whoever asks. */
  runs(): Run[] {
    const group = this.group.copy();
    let end = 0;
    return this.kept.map(({ run, length }) => {
      end += length;
      return { ...run, bytes: group.subarray(end - length, end) } as Run;
    });
  }
}
