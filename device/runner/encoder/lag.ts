/**
 * Counts whether as many pictures a second leave the encoder as the broadcast has, and the decoder as the source has. A broadcast that falls
 * behind for some seconds has a condition, and events for its begin and its end.
 */
import { systemClock, toIso } from '../../../domain/time/clock.ts';
import type { Condition } from '../../../domain/shapes/broadcasts/livestream-status.ts';
import type { MachineLoad } from '../../../linux/machine-load.ts';
import type { EventLog } from '../process/event-log.ts';

/** A smaller share of the pictures is seen as a stutter, and nearly all of them end it: a broadcast at the edge is not said twice. */
const BEHIND_SHARE = 0.95;
const RECOVERED_SHARE = 0.98;
/** So long every look must find the same: a pause that is caught up with, or an encoder that is replaced, is none. */
const LASTING_MS = 5000;
/** Each look counts the pictures of so long a time, of so many at least: at five a second, one more or less is a fifth. */
const WINDOW_MS = 2000;
const MIN_PICTURES = 20;
/** Looks come each second. After a longer pause this process, or its machine, stood still, and what was counted tells nothing. */
const MAX_PAUSE_MS = 3000;

/** At one look, of the source. */
export interface Decoded {
  /** They are the source's, by its own times, as far as it was decoded. */
  seconds: number;
  /** Pictures a second that it has. */
  wanted: number;
  /** The decoder has been busy since the look before. */
  isBusy: boolean;
}

/** At one look. */
export interface LagLook {
  /** Pictures that have left the encoder so far. */
  pictures: number;
  /** Pictures that were dropped so far. */
  dropped: number;
  load: MachineLoad | undefined;
  /** Left out where nothing is decoded. */
  decoded?: Decoded | undefined;
  /** Milliseconds on the steady clock. */
  nowMs: number;
}

interface Behind {
  /** ISO instant. */
  since: string;
  sinceMs: number;
  dropped: number;
  fps: number;
  wanted: number;
  remedy: string;
}

/** Pictures a second of the encoder, or of the decoder. */
interface Pace {
  fps: number;
  wanted: number;
  isSource: boolean;
}

export class Lag {
  private readonly wanted: number;
  private readonly events: Pick<EventLog, 'add'>;
  private readonly windowMs: number;
  private points: LagLook[] = [];
  /** Since when all looks have found what is not said yet. */
  private changedMs: number | undefined;
  private behind: Behind | undefined;

  /** `wanted` is the rate of the broadcast. */
  constructor(wanted: number, events: Pick<EventLog, 'add' | 'earlier'>) {
    this.wanted = wanted;
    this.events = events;
    this.windowMs = Math.max(WINDOW_MS, (MIN_PICTURES / wanted) * 1000);
    const last = events.earlier.filter(({ kind }) => kind === 'behind' || kind === 'behind_ended').at(-1);
    if (last?.kind === 'behind') this.behind = resumed(last.data);
  }

  get conditions(): Condition[] {
    if (this.behind === undefined) return [];
    const { since, fps, wanted, remedy } = this.behind;
    return [{ kind: 'behind', since, fps, wanted_fps: round(wanted, 2), remedy }];
  }

  /** It is called once a second, from the first picture on. */
  look(look: LagLook): void {
    const { points, windowMs } = this;
    const before = points.at(-1);
    points.push(look);
    if (before === undefined || look.nowMs - before.nowMs > MAX_PAUSE_MS) return this.begin(look);
    while (points.length > 2 && look.nowMs - points[1]!.nowMs >= windowMs) points.shift();
    const [first] = points as [LagLook];
    const seconds = (look.nowMs - first.nowMs) / 1000;
    if (seconds * 1000 < windowMs) return;
    const pictures = look.pictures - first.pictures;
    // An encoder that gives nothing at all has stalled or is being replaced; that is said by itself.
    if (pictures === 0) this.changedMs = undefined;
    else {
      const encoded = { fps: pictures / seconds, wanted: this.wanted, isSource: false };
      const decoded = paceOf(first, look, seconds);
      this.judge(look, before.nowMs, decoded === undefined || isSlower(encoded, decoded) ? encoded : decoded, seconds);
    }
  }

  private begin(look: LagLook): void {
    this.points = [look];
    this.changedMs = undefined;
  }

  private judge(look: LagLook, fromMs: number, pace: Pace, seconds: number): void {
    const { behind } = this;
    const { fps, wanted } = pace;
    const share = fps / wanted;
    const isWell = share >= RECOVERED_SHARE || (wanted - fps) * seconds <= 1;
    const isOther = behind === undefined ? share < BEHIND_SHARE : isWell;
    if (behind !== undefined && !isOther) Object.assign(behind, { fps: Math.round(fps), wanted });
    if (!isOther) return void (this.changedMs = undefined);
    this.changedMs ??= fromMs;
    if (look.nowMs - this.changedMs < LASTING_MS) return;
    if (behind === undefined) this.fall(look, this.changedMs, pace);
    else this.recover(look, behind);
    this.changedMs = undefined;
  }

  private fall({ nowMs, dropped, load }: LagLook, sinceMs: number, pace: Pace): void {
    const remedy = remedyOf(load, pace.isSource);
    const since = toIso(systemClock.now() - (nowMs - sinceMs));
    const fps = Math.round(pace.fps);
    this.behind = { since, sinceMs, dropped, fps, wanted: pace.wanted, remedy };
    const wanted = round(pace.wanted, 2);
    const what = pace.isSource ? 'of its source are decoded' : 'are encoded, the rest are dropped';
    const message = `The broadcast falls behind: ${fps} of ${wanted} pictures a second ${what}. ${remedy}`;
    this.events.add('behind', 'warning', message, { since, fps, wanted_fps: wanted, remedy });
  }

  private recover({ nowMs, dropped }: LagLook, behind: Behind): void {
    const seconds = Math.round((nowMs - behind.sinceMs) / 1000);
    const lost = dropped - behind.dropped;
    this.behind = undefined;
    const message = `The broadcast keeps up again after ${seconds} s, in which ${lost} pictures were dropped.`;
    this.events.add('behind_ended', 'info', message, { seconds, dropped: lost });
  }
}

/** An earlier runner process of this run has said it; this one counts anew. */
function resumed({ since, fps, wanted_fps: wanted, remedy }: Record<string, unknown>): Behind {
  const at = String(since);
  const sinceMs = performance.now() - Math.max(0, systemClock.now() - Date.parse(at));
  return { since: at, sinceMs, dropped: 0, fps: Number(fps), wanted: Number(wanted), remedy: String(remedy) };
}

/** Undefined where the decoder waits for its source, and not the other way round. */
function paceOf(first: LagLook, { decoded }: LagLook, seconds: number): Pace | undefined {
  if (first.decoded === undefined || decoded?.isBusy !== true) return undefined;
  const fps = ((decoded.seconds - first.decoded.seconds) / seconds) * decoded.wanted;
  return { fps, wanted: decoded.wanted, isSource: true };
}

function isSlower(one: Pace, other: Pace): boolean {
  return one.fps / one.wanted <= other.fps / other.wanted;
}

const MUCH_STEAL = 0.1;
const MUCH_IDLE = 0.3;

/** It depends on who has the processors. */
export function remedyOf(load: MachineLoad | undefined, isSource = false): string {
  if (load !== undefined && load.steal >= MUCH_STEAL)
    return `The host of this virtual machine takes ${Math.round(load.steal * 100)} % of its processors (steal): give it processors of its own, or move the Live stream to another Device.`;
  if (isSource)
    return 'Its source takes too much to decode here: send smaller or fewer pictures or H.264, or move the Live stream to a larger Device, or stop another one there.';
  if (load !== undefined && load.idle >= MUCH_IDLE)
    return 'The Device has processors free that this encoder cannot use: choose fewer or smaller renditions, or a faster preset.';
  return 'The Device is full: stop or move another Live stream or program there, or choose fewer or smaller renditions, or a faster preset.';
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
