/**
 * Maps the stream's time to the wall clock, once for all Destinations of a run. The successor of a killed runner begins where the stream
 * would be by now, so that for players its time goes on, with a gap.
 */
import type { Clock } from '../../../domain/time/clock.ts';
import { TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';
import { readCached, writeAtomic } from '../../atomic-file.ts';

/** Time stamps begin here, not at 0: the priming frame of AAC lies before the first video frame, and ffmpeg shifts all times below 0. */
const FIRST_SECONDS = 10;
/** The mapping is corrected when media time has lost so much on the wall clock (frames were dropped): players would look for segments that are not there yet. */
const DRIFT_MS = 1000;
/** Copied sources may come in bursts of this length. */
const WINDOW_MS = 5000;

export class StreamClock {
  private readonly clock: Clock;
  private readonly file: string | undefined;
  /** Wall clock at time 0 of the stream, as the Destinations know it. */
  private originMs: number | undefined;
  /** The least delay of this window and the one before: it is the truest, since a burst at a start is late and nothing is early. */
  private window = { fromMs: -Infinity, least: Infinity, before: Infinity };
  readonly firstSeconds: number;
  /** Viewers have had the stream of an earlier runner. */
  readonly goesOn: boolean;

  /** `file` keeps the mapping for the next runner of the run. */
  constructor(clock: Clock, file?: string) {
    this.clock = clock;
    this.file = file;
    const earlier = file === undefined ? undefined : readOrigin(file);
    this.goesOn = earlier !== undefined;
    this.firstSeconds = Math.max(FIRST_SECONDS, earlier === undefined ? 0 : (clock.now() - earlier) / 1000);
  }

  /** A unit of this time, in ticks, has just left the encoder. */
  observe(ticks: number): void {
    const now = this.clock.now();
    const { window } = this;
    // A clock that is set back begins a new window, too.
    if (Math.abs(now - window.fromMs) > WINDOW_MS) this.window = { fromMs: now, least: Infinity, before: window.least };
    this.window.least = Math.min(this.window.least, now - msOf(ticks));
  }

  /** Returns milliseconds since 1970. The mapping stays as it is until the stream has lost too much on the wall clock. */
  wallMs(ticks: number): number {
    return this.origin(ticks) + msOf(ticks);
  }

  get now(): number {
    return this.clock.now();
  }

  ticksAt(wallMs: number): number {
    return ((wallMs - (this.originMs ?? this.measured ?? this.guess())) / 1000) * TICKS_PER_SECOND;
  }

  private get measured(): number | undefined {
    const least = Math.min(this.window.least, this.window.before);
    return Number.isFinite(least) ? least : undefined;
  }

  private guess(ticks = this.firstSeconds * TICKS_PER_SECOND): number {
    return this.clock.now() - msOf(ticks);
  }

  private origin(ticks: number): number {
    const { measured, originMs } = this;
    if (originMs !== undefined && (measured === undefined || measured - originMs <= DRIFT_MS)) return originMs;
    // Manifests write whole milliseconds.
    this.originMs = Math.round(measured ?? this.guess(ticks));
    this.keep(this.originMs);
    return this.originMs;
  }

  private keep(originMs: number): void {
    if (this.file === undefined) return;
    try {
      writeAtomic(this.file, JSON.stringify({ originMs }));
    } catch {
      // On a full disk only a successor misses it, and begins at the usual time.
    }
  }
}

function msOf(ticks: number): number {
  return (ticks / TICKS_PER_SECOND) * 1000;
}

function readOrigin(file: string): number | undefined {
  const originMs = (readCached(file) as { originMs?: unknown } | null | undefined)?.originMs;
  return Number.isFinite(originMs) ? (originMs as number) : undefined;
}
