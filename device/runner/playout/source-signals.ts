/** Faults in picture and sound of the source on air, as flags for a glance and as events with their ends. */
import { systemClock, toIso } from '../../../domain/time/clock.ts';
import type { Condition } from '../../../domain/shapes/broadcasts/livestream-status.ts';
import type { EventKind } from '../../../domain/shapes/installation/event.ts';
import { SIGNAL_FLAGS } from '../../../domain/shapes/broadcasts/live-picture.ts';
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { Detect } from '../../../domain/shapes/broadcasts/sound.ts';
import type { Faults } from '../../../domain/shapes/broadcasts/failover.ts';
import type { Shortage } from '../input/source-format.ts';
import type { EventLog } from '../process/event-log.ts';

type Signal = 'silent' | 'black' | 'frozen' | 'low_fps';

/** A rate swings for a moment when a scene changes, or a line is busy. */
const LOW_FPS_SECONDS = 10;

const WORDS: Record<Signal, { begins: Condition['kind']; ends: EventKind; now: string; again: string }> = {
  silent: { begins: 'silence', ends: 'silence_ended', now: 'gives no sound', again: 'gives sound again' },
  black: { begins: 'black', ends: 'black_ended', now: 'gives a black picture', again: 'gives a picture again' },
  frozen: { begins: 'frozen', ends: 'frozen_ended', now: 'gives a picture that stands still', again: 'moves again' },
  low_fps: {
    begins: 'low_fps',
    ends: 'low_fps_ended',
    now: 'gives too few pictures',
    again: 'gives all its pictures again',
  },
};
const SIGNALS = Object.keys(WORDS) as Signal[];

export class SourceSignals {
  private readonly events: EventLog;
  /** Each since when: on the steady clock, and as an ISO instant. */
  private readonly present = new Map<Signal, { since: number; at: string }>();
  private shortage: Shortage | undefined;

  constructor(events: EventLog) {
    this.events = events;
  }

  /** Bits of SIGNAL_FLAGS. */
  get flags(): number {
    const bits: Partial<Record<Signal, number>> = SIGNAL_FLAGS;
    return [...this.present.keys()].reduce((flags, signal) => flags | (bits[signal] ?? 0), 0);
  }

  get conditions(): Condition[] {
    const figures = figuresOf(this.shortage);
    return [...this.present].map(([signal, { at }]) => ({
      kind: WORDS[signal].begins,
      since: at,
      ...(signal === 'low_fps' && figures),
    }));
  }

  /** It is called ten times a second with the source that viewers see. */
  look(source: SourceSpec, faults: Faults, detect: Detect | null, now: number, shortage?: Shortage): void {
    const { channelId } = source;
    this.shortage = shortage;
    // A source that gives nothing has not become better.
    if (faults.loss !== undefined) return this.forget();
    const seconds = {
      silent: detect?.silence?.seconds,
      black: detect?.black?.seconds,
      frozen: detect?.frozen?.seconds,
      low_fps: detect === null ? undefined : LOW_FPS_SECONDS,
    };
    for (const signal of SIGNALS) {
      const [since, limit, begun] = [faults[signal], seconds[signal], this.present.get(signal)?.since];
      const { begins, ends, now: fault, again } = WORDS[signal];
      const who = `Channel ${JSON.stringify(source.name)}`;
      if (limit === undefined) this.present.delete(signal);
      else if (begun === undefined && since !== undefined && now - since >= limit * 1000) {
        this.present.set(signal, { since, at: toIso(systemClock.now() - (now - since)) });
        const lasting = round((now - since) / 1000);
        const isShort = signal === 'low_fps' && shortage !== undefined;
        const what = isShort ? `gives ${shortage.fps} of its ${shortage.wanted} pictures a second` : fault;
        const figures = isShort ? figuresOf(shortage) : {};
        const message = `${who} ${what}, for ${lasting.toFixed(0)} s now.`;
        this.events.add(begins, 'warning', message, { channelId, seconds: lasting, ...figures });
      } else if (begun !== undefined && (since === undefined || since > begun)) {
        this.present.delete(signal);
        const lasted = round(((since ?? now) - begun) / 1000);
        this.events.add(ends, 'info', `${who} ${again} after ${lasted.toFixed(0)} s.`, { channelId, seconds: lasted });
      }
    }
  }

  /** Another source is on air, or none: what was wrong with this one has not ended. */
  forget(): void {
    this.present.clear();
  }
}

function figuresOf(shortage: Shortage | undefined): Pick<Condition, 'fps' | 'wanted_fps'> {
  return shortage === undefined ? {} : { fps: shortage.fps, wanted_fps: shortage.wanted };
}

function round(seconds: number): number {
  return Number(seconds.toFixed(1));
}
