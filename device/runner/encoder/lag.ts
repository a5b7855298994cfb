/**
 * Counts whether as many pictures a second leave the encoder as the broadcast has. One that falls behind for some seconds has a condition,
 * and events for its begin and its end.
 */
import { systemClock, toIso } from '../../../domain/clock.ts';
import type { Condition } from '../../../domain/livestream-status.ts';
import type { EventLog } from '../process/event-log.ts';
import type { MachineLoad } from './machine-load.ts';

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

/** At one look. */
export interface LagLook {
  /** Pictures that have left the encoder so far. */
  pictures: number;
  /** Pictures that were dropped so far. */
  dropped: number;
  load: MachineLoad | undefined;
  /** Milliseconds on the steady clock. */
  nowMs: number;
}

interface Behind {
  /** ISO instant. */
  since: string;
  sinceMs: number;
  dropped: number;
  fps: number;
  remedy: string;
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
    const { since, fps, remedy } = this.behind;
    return [{ kind: 'behind', since, fps, wanted_fps: round(this.wanted, 2), remedy }];
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
    else this.judge(look, before.nowMs, pictures / seconds, this.wanted * seconds - pictures);
  }

  private begin(look: LagLook): void {
    this.points = [look];
    this.changedMs = undefined;
  }

  private judge(look: LagLook, fromMs: number, fps: number, missing: number): void {
    const { behind } = this;
    const share = fps / this.wanted;
    const isOther = behind === undefined ? share < BEHIND_SHARE : share >= RECOVERED_SHARE || missing <= 1;
    if (behind !== undefined && !isOther) behind.fps = Math.round(fps);
    if (!isOther) return void (this.changedMs = undefined);
    this.changedMs ??= fromMs;
    if (look.nowMs - this.changedMs < LASTING_MS) return;
    if (behind === undefined) this.fall(look, this.changedMs, Math.round(fps));
    else this.recover(look, behind);
    this.changedMs = undefined;
  }

  private fall({ nowMs, dropped, load }: LagLook, sinceMs: number, fps: number): void {
    const remedy = remedyOf(load);
    const since = toIso(systemClock.now() - (nowMs - sinceMs));
    this.behind = { since, sinceMs, dropped, fps, remedy };
    const wanted = round(this.wanted, 2);
    const message = `The broadcast falls behind: ${fps} of ${wanted} pictures a second are encoded, the rest are dropped. ${remedy}`;
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
function resumed({ since, fps, remedy }: Record<string, unknown>): Behind {
  const at = String(since);
  const sinceMs = performance.now() - Math.max(0, systemClock.now() - Date.parse(at));
  return { since: at, sinceMs, dropped: 0, fps: Number(fps), remedy: String(remedy) };
}

const MUCH_STEAL = 0.1;
const MUCH_IDLE = 0.3;

/** It depends on who has the processors. */
export function remedyOf(load: MachineLoad | undefined): string {
  if (load !== undefined && load.steal >= MUCH_STEAL)
    return `The host of this virtual machine takes ${Math.round(load.steal * 100)} % of its processors (steal): give it processors of its own, or move the Live stream to another Device.`;
  if (load !== undefined && load.idle >= MUCH_IDLE)
    return 'The Device has processors free that this encoder cannot use: choose fewer or smaller renditions, or a faster preset.';
  return 'The Device is full: stop or move another Live stream or program there, or choose fewer or smaller renditions, or a faster preset.';
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
