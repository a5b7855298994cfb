/** How well one player plays, by what it says of itself (CMCD). */
import type { PlayerSums } from '../../../domain/shapes/broadcasts/audience.ts';
import type { TimedCmcd } from '../../delivery/audience/sightings.ts';

/** A buffer that is empty for longer is a player that somebody has paused or left. */
const MAX_STALL_MS = 60_000;
/** Nobody waits longer for a picture. */
const MAX_START_MS = 120_000;

const SUMS: readonly (keyof PlayerSums)[] = ['sessions', 'starts', 'start_ms', 'stalls', 'stalled_ms', 'watched_ms'];

export class PlayerMeasures {
  /** Not yet added to other sums. */
  private readonly sums: PlayerSums = { sessions: 1, starts: 0, start_ms: 0, stalls: 0, stalled_ms: 0, watched_ms: 0 };
  private readonly firstAt: number;
  private startMs: number | undefined;
  private isStarting = false;
  private hasPictures = false;
  /** The last request for pictures, and what was in the buffer then. */
  private last: { at: number; bl: number } | undefined;
  /** State that the player has told by an event, and since when, by its own clock. */
  private state: { sta: string; ts: number } | undefined;

  /** `firstAt`: milliseconds, by any clock, at which the player was seen first. */
  constructor(firstAt: number) {
    this.firstAt = firstAt;
  }

  /** It is called for those who have got media: what others say of themselves is in no figure. */
  addTo(sums: PlayerSums): void {
    for (const name of SUMS) {
      sums[name] += this.sums[name];
      this.sums[name] = 0;
    }
  }

  take(cmcd: TimedCmcd, at: number): void {
    if (cmcd.msd !== undefined) this.start(cmcd.msd);
    if (cmcd.e !== undefined) return this.takeEvent(cmcd);
    this.hasPictures ||= cmcd.ot === 'v' || cmcd.ot === 'av';
    // Sound that is missing beside pictures is the same stall.
    if (cmcd.ot === 'a' && this.hasPictures) return;
    this.isStarting ||= cmcd.su === true;
    const isMedia = cmcd.ot === 'v' || cmcd.ot === 'av' || cmcd.ot === 'a';
    // A player that never says that it begins does not say either that it has begun.
    if (isMedia && this.isStarting && cmcd.su !== true && this.startMs === undefined) this.start(at - this.firstAt);
    if (this.state === undefined && (cmcd.bs === true || (cmcd.bsd ?? 0) > 0)) this.stall(cmcd.bsd ?? this.emptyMs(at));
    if (cmcd.bl !== undefined) this.last = { at, bl: cmcd.bl };
  }

  private takeEvent({ e, sta, ts }: TimedCmcd): void {
    if (e !== 'ps' || sta === undefined || ts === undefined) return;
    const { state } = this;
    if (sta === 'p' && state?.sta === 's' && this.startMs === undefined) this.start(ts - state.ts);
    if (state?.sta === 'r' && sta !== 'r') this.stall(ts - state.ts);
    if (state?.sta !== sta) this.state = { sta, ts };
  }

  /** The player's own measure replaces the one that was made out from its requests. */
  private start(ms: number): void {
    const known = Math.min(Math.max(ms, 0), MAX_START_MS);
    if (this.startMs === undefined) this.sums.starts += 1;
    this.sums.start_ms += known - (this.startMs ?? 0);
    this.startMs = known;
  }

  private stall(ms: number): void {
    this.sums.stalls += 1;
    this.sums.stalled_ms += Math.min(Math.max(ms, 0), MAX_STALL_MS);
  }

  /**
   * A player that waits for a segment asks for the next one when it has it: its buffer was empty from when it ran out after the request before
   * until about then.
   */
  private emptyMs(at: number): number {
    return this.last === undefined ? 0 : at - this.last.at - this.last.bl;
  }
}
