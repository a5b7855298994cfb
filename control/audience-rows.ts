/** Keeps what Devices tell of those who watch: for each run in which somebody did, a row a minute with its totals. */
import { totalsOf } from '../domain/shapes/broadcasts/audience.ts';
import type { RunReport } from '../domain/shapes/broadcasts/run.ts';
import { toIso, type Clock } from '../domain/time/clock.ts';
import type { Log } from '../domain/base/log.ts';
import type { Store } from '../domain/ports/store.ts';
import type { DeviceShares } from './device-shares.ts';
import { isRunAt } from './locations.ts';
import type { RowCache } from './row-cache.ts';

export interface AudienceRowsDeps {
  store: Pick<Store, 'tx' | 'health'>;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  rows: Pick<RowCache, 'run'>;
  shares: Pick<DeviceShares, 'take'>;
}

interface Watched {
  deviceId: number;
  audience: NonNullable<RunReport['audience']>;
  livestreamId: number;
  runId: string;
  /** The most at a time since the last row. */
  peak: number;
  hasEnded: boolean;
  /** The totals of the last row. */
  kept: { seconds: number; sessions: number };
}

const EVERY_MS = 60_000;

export class AudienceRows {
  private readonly deps: AudienceRowsDeps;
  private readonly watched = new Map<string, Watched>();
  private cancel: (() => void) | undefined;

  constructor(deps: AudienceRowsDeps) {
    this.deps = deps;
  }

  /** Takes a report of a Device whose runs this server orders. */
  observe(deviceId: number, { livestreamId, runId, phase, audience }: RunReport): void {
    if (audience === undefined || !isRunAt(this.deps.rows.run(livestreamId), runId, deviceId)) return;
    const before = this.watched.get(runId);
    const hasEnded = phase === 'stopped' || phase === 'failed';
    const peak = Math.max(before?.peak ?? 0, audience.now);
    const kept = before?.kept ?? { seconds: 0, sessions: 0 };
    this.watched.set(runId, { deviceId, audience, livestreamId, runId, peak, hasEnded, kept });
    if (hasEnded) void this.write([runId]);
    else this.cancel ??= this.deps.clock.after(EVERY_MS, () => this.writeAll());
  }

  close(): void {
    this.cancel?.();
  }

  private writeAll(): void {
    this.cancel = undefined;
    void this.write([...this.watched.keys()]);
  }

  /** A row that could not be written is made up for by the next one: each has the totals of its run. */
  private async write(runIds: readonly string[]): Promise<void> {
    const { store, clock, log, shares } = this.deps;
    const due = runIds
      .flatMap((runId) => this.watched.get(runId) ?? [])
      .filter((watched) => hasChanged(watched) && shares.take(watched.deviceId));
    for (const runId of runIds) if (this.watched.get(runId)?.hasEnded === true) this.watched.delete(runId);
    // Figures are the first that a disk which is nearly full can do without.
    if (due.length === 0 || store.health().shortage !== undefined) return;
    const at = toIso(clock.now());
    try {
      await store.tx((tx) => {
        for (const { audience, livestreamId, runId, peak } of due)
          tx.insert('audienceMinutes', { at, livestreamId, runId, ...totalsOf(audience), peak });
      });
    } catch (error) {
      return log.warn({ err: error }, 'The figures of the audience could not be stored; the next ones include them.');
    }
    for (const { runId, audience, peak } of due) {
      const now = this.watched.get(runId);
      if (now === undefined) continue;
      now.kept = { seconds: audience.seconds, sessions: audience.sessions };
      if (now.peak === peak) now.peak = now.audience.now;
    }
  }
}

function hasChanged({ audience, kept }: Watched): boolean {
  return audience.seconds !== kept.seconds || audience.sessions !== kept.sessions;
}
