/** The report of a run before its own parts can give one. */
import { runtimeOf } from '../domain/shapes/changes/run-change.ts';
import type { PathStatus } from '../domain/shapes/broadcasts/livestream-status.ts';
import type { RunReport } from '../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../domain/shapes/broadcasts/run-spec.ts';

/** Everything is ordered and nothing up yet. `at` is an ISO instant. */
export function startingReport(spec: RunSpec, at: string): RunReport {
  const path = (enabled: boolean): PathStatus => {
    const nothingYet = { down_since: null, attempts: 0, next_retry_at: null, last_error: null, refused: false };
    return { enabled, state: 'idle', since: at, ...nothingYet };
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
