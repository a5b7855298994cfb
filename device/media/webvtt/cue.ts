/** Cues of one track of text, on the time of the stream. */
import type { CaptionBlock } from '../captions/caption-block.ts';

/** Times are in 90 kHz ticks, unwrapped. */
export interface Cue {
  startTicks: number;
  /** Infinity while it is shown. */
  endTicks: number;
  blocks: readonly CaptionBlock[];
}

/** Text that is being written is one cue for so long: nothing is shown earlier than it came by more. */
const GROWING_TICKS = 45_000;
/** A decoder takes text away that nothing has followed for so long (CEA-608-E annex C.9). */
const FORGOTTEN_TICKS = 16 * 90_000;
/** Cues are kept for the longest segment and the delay of an encoder. */
const KEPT_TICKS = 120 * 90_000;

export class CueTrack {
  private cues: Cue[] = [];
  private lastTicks = -Infinity;

  get isEmpty(): boolean {
    return this.cues.length === 0;
  }

  /** Sets what is shown from `ticks` on. `isGrowing`: characters were added or taken away where viewers see it. */
  show(ticks: number, blocks: readonly CaptionBlock[], isGrowing: boolean): void {
    const open = this.open;
    if (open === undefined && blocks.length === 0) return;
    if (open !== undefined) {
      if (isSame(open.blocks, blocks)) return;
      if (isGrowing && blocks.length > 0 && ticks - open.startTicks < GROWING_TICKS) {
        open.blocks = blocks;
        return;
      }
      open.endTicks = Math.max(open.startTicks, ticks);
      if (open.endTicks === open.startTicks) this.cues.pop();
    }
    if (blocks.length > 0) this.cues.push({ startTicks: ticks, endTicks: Infinity, blocks });
    this.cues = this.cues.filter(({ endTicks }) => endTicks > ticks - KEPT_TICKS);
  }

  /** Data of this track has come, if only to say that nothing changes. */
  alive(ticks: number): void {
    this.expire(ticks);
    this.lastTicks = Math.max(this.lastTicks, ticks);
  }

  /** Returns the cues of which a part lies between, oldest first. */
  between(fromTicks: number, toTicks: number): readonly Cue[] {
    this.expire(toTicks);
    return this.cues.filter(({ startTicks, endTicks }) => startTicks < toTicks && endTicks > fromTicks);
  }

  private get open(): Cue | undefined {
    const last = this.cues.at(-1);
    return last?.endTicks === Infinity ? last : undefined;
  }

  private expire(ticks: number): void {
    if (ticks - this.lastTicks > FORGOTTEN_TICKS && this.open !== undefined)
      this.show(this.lastTicks + FORGOTTEN_TICKS, [], false);
  }
}

function isSame(a: readonly CaptionBlock[], b: readonly CaptionBlock[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
