/** Reports that the Device makes by itself while there is no runner to ask. */
import { runtimeOf } from '../../../domain/run-change.ts';
import type { PathStatus } from '../../../domain/livestream-status.ts';
import type { RunReport, RunSpec } from '../../../domain/run.ts';

export function isFinal(report: Pick<RunReport, 'phase'>): boolean {
  return report.phase === 'failed' || report.phase === 'stopped';
}

/** The report before the first one of the runner: everything ordered and nothing up yet. `at` is an ISO instant. */
export function startingReport(spec: RunSpec, at: string): RunReport {
  const path = (enabled: boolean): PathStatus => {
    return { enabled, state: 'idle', since: at, attempts: 0, next_retry_at: null, last_error: null };
  };
  return {
    runId: spec.runId,
    livestreamId: spec.livestreamId,
    phase: 'starting',
    error: null,
    on_air_at: null,
    source: { channelId: spec.source.channelId, state: 'idle', fps: 0, bitrate_kbps: 0, last_frame_at: null },
    encodings: spec.renditions.map(({ encodingId }) => ({ encodingId, fps: 0, bitrate_kbps: 0, speed: 0, dropped: 0 })),
    publishings: spec.outputs.map(({ publishingId, name, type, primary, backup }) => {
      const paths = { primary: path(primary), backup: backup === null ? null : path(backup) };
      return { publishingId, name, type, ...paths, notes: [] };
    }),
    runtime: runtimeOf(spec),
    watch: [],
  };
}

/** The last report of a run whose runner could not write one: nothing of it is up any more. */
export function finalReport(last: RunReport, phase: 'failed' | 'stopped', error: string | null, at: string): RunReport {
  const idle = (path: PathStatus): PathStatus => ({ ...path, state: 'idle', since: at, next_retry_at: null });
  const { peaks: _peaks, flags: _flags, ...known } = last;
  return {
    ...known,
    phase,
    error,
    source: { ...last.source, state: 'idle', fps: 0, bitrate_kbps: 0 },
    encodings: last.encodings.map((encoding) => ({ ...encoding, fps: 0, bitrate_kbps: 0, speed: 0 })),
    publishings: last.publishings.map((publishing) => {
      return { ...publishing, primary: idle(publishing.primary), backup: publishing.backup && idle(publishing.backup) };
    }),
    watch: [],
  };
}
