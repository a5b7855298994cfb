/** The mode of a window, by that of the hub. Either may be held up: the hub says nothing then, or the window hears late what it has said. */
import type { LinkMode } from './link.ts';

/** A hub whose feed is live says something each second, and one that asks every five. */
const MAX_AGES_MS: Partial<Record<LinkMode, number>> = { live: 4_000, asking: 9_000 };

export class WindowMode {
  private hubMode: LinkMode = 'connecting';
  /** When the newest news that has come was told. */
  private toldAt = -Infinity;

  /** Instants are milliseconds since 1970 on the clock of this machine, which hub and window share. */
  hear(toldAt: number, mode?: LinkMode): void {
    this.toldAt = toldAt;
    this.hubMode = mode ?? this.hubMode;
  }

  at(now: number): LinkMode {
    return now - this.toldAt > (MAX_AGES_MS[this.hubMode] ?? Infinity) ? 'stale' : this.hubMode;
  }
}
