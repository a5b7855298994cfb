/** A run's surroundings: its spec, its files, its processes, and who hears of its end. */
import { statSync } from 'node:fs';
import type { Clock } from '../../domain/time/clock.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import type { RunFiles } from '../run-dir.ts';
import type { SourceConnection } from './input/source-connection.ts';
import type { ChildProcesses } from './process/child-processes.ts';
import type { EventLog } from './process/event-log.ts';
import type { RunLease } from './run-lease.ts';

export interface RunContext {
  spec: RunSpec;
  deviceDir: string;
  files: RunFiles;
  children: ChildProcesses;
  lease: RunLease;
  events: EventLog;
  clock: Clock;
  /** The instant of performance.now() from which the time of the start counts. */
  startedAt: number;
  /** The instant of performance.now() at which the run was asked for. */
  orderedAt: number;
  /** The last instant, in seconds since 1970, at which an earlier process of the run is known to have delivered. */
  deliveredUntil?: number | undefined;
  /** Answers how many runs this process carries out. */
  sharers: () => number;
  /** The connection to the source, where it was opened to plan the run. */
  opened?: SourceConnection | undefined;
  /** Hides the secrets of this spec, too, from now on. */
  hide(spec: RunSpec): void;
  /** It is called when something in the report has changed. */
  onChange(): void;
  /** It is called when the run is over and all its processes have ended. */
  onOver(report: RunReport): void;
}

/** An order that is older was given before this machine, or the agent, had its troubles: nobody counts from there. */
const MAX_AGO_MS = 1000;

/** The instant of performance.now() at which the agent wrote the order of a run. */
export function orderedAt({ spec }: Pick<RunFiles, 'spec'>, clock: Clock): number {
  const agoMs = clock.now() - statSync(spec).mtimeMs;
  return performance.now() - Math.min(Math.max(agoMs, 0), MAX_AGO_MS);
}

/** The time that the restart of the runner has cost viewers, within half a second, for its event. */
export function gapSince({ deliveredUntil, clock }: Pick<RunContext, 'deliveredUntil' | 'clock'>): {
  gapSeconds?: number;
} {
  if (deliveredUntil === undefined) return {};
  // It delivered until somewhere within the second that follows.
  return { gapSeconds: Number(Math.max(0, clock.now() / 1000 - deliveredUntil - 0.5).toFixed(1)) };
}
