/** Faults in picture and sound of the source on air, as flags for a glance and as events with their ends. */
import { systemClock, toIso } from '../../../domain/clock.ts';
import type { Condition } from '../../../domain/livestream-status.ts';
import type { EventKind } from '../../../domain/event.ts';
import { SIGNAL_FLAGS } from '../../../domain/live-picture.ts';
import type { SourceSpec } from '../../../domain/run.ts';
import type { Detect } from '../../../domain/sound.ts';
import type { Faults } from '../../../domain/failover.ts';
import type { EventLog } from '../process/event-log.ts';

type Signal = 'silent' | 'black' | 'frozen';

const WORDS: Record<Signal, { begins: Condition['kind']; ends: EventKind; now: string; again: string }> = {
  silent: { begins: 'silence', ends: 'silence_ended', now: 'gives no sound', again: 'gives sound again' },
  black: { begins: 'black', ends: 'black_ended', now: 'gives a black picture', again: 'gives a picture again' },
  frozen: { begins: 'frozen', ends: 'frozen_ended', now: 'gives a picture that stands still', again: 'moves again' },
};
const SIGNALS = Object.keys(WORDS) as Signal[];

export class SourceSignals {
  private readonly events: EventLog;
  /** Each since when: on the steady clock, and as an ISO instant. */
  private readonly present = new Map<Signal, { since: number; at: string }>();

  constructor(events: EventLog) {
    this.events = events;
  }

  /** Bits of SIGNAL_FLAGS. */
  get flags(): number {
    return [...this.present.keys()].reduce((flags, signal) => flags | SIGNAL_FLAGS[signal], 0);
  }

  get conditions(): Condition[] {
    return [...this.present].map(([signal, { at }]) => ({ kind: WORDS[signal].begins, since: at }));
  }

  /** It is called ten times a second with the source that viewers see. */
  look({ name, channelId }: SourceSpec, faults: Faults, detect: Detect | null, now: number): void {
    // A source that gives nothing has not become better.
    if (faults.loss !== undefined) return this.forget();
    const seconds = {
      silent: detect?.silence?.seconds,
      black: detect?.black?.seconds,
      frozen: detect?.frozen?.seconds,
    };
    for (const signal of SIGNALS) {
      const [since, limit, begun] = [faults[signal], seconds[signal], this.present.get(signal)?.since];
      const { begins, ends, now: fault, again } = WORDS[signal];
      if (limit === undefined) this.present.delete(signal);
      else if (begun === undefined && since !== undefined && now - since >= limit * 1000) {
        this.present.set(signal, { since, at: toIso(systemClock.now() - (now - since)) });
        const lasting = round((now - since) / 1000);
        const message = `Channel "${name}" ${fault}, for ${lasting.toFixed(0)} s now.`;
        this.events.add(begins, 'warning', message, { channelId, seconds: lasting });
      } else if (begun !== undefined && (since === undefined || since > begun)) {
        this.present.delete(signal);
        const lasted = round(((since ?? now) - begun) / 1000);
        this.events.add(ends, 'info', `Channel "${name}" ${again} after ${lasted.toFixed(0)} s.`, {
          channelId,
          seconds: lasted,
        });
      }
    }
  }

  /** Another source is on air, or none: what was wrong with this one has not ended. */
  forget(): void {
    this.present.clear();
  }
}

function round(seconds: number): number {
  return Number(seconds.toFixed(1));
}
