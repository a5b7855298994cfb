/** Reports that the Device makes by itself while there is no runner to ask. */
import type { PathStatus } from '../../../domain/shapes/broadcasts/livestream-status.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';

export function isFinal(report: Pick<RunReport, 'phase'>): boolean {
  return report.phase === 'failed' || report.phase === 'stopped';
}

/** The last report of a run whose runner could not write one: nothing of it is up any more. */
export function finalReport(last: RunReport, phase: 'failed' | 'stopped', error: string | null, at: string): RunReport {
  const idle = (path: PathStatus): PathStatus => ({
    ...path,
    state: 'idle',
    since: at,
    down_since: null,
    next_retry_at: null,
  });
  const { peaks: _peaks, flags: _flags, conditions: _conditions, source_watched: _watched, ...known } = last;
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
