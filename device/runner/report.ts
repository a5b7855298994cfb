/** A run as others see it. */
import type { PathStatus, RunReport, RunSpec } from '../../domain/run.ts';
import type { Meter } from './meter.ts';
import type { Output } from './outputs.ts';
import type { Source } from './source.ts';

export function buildReport(
  spec: RunSpec,
  run: { phase: RunReport['phase']; error: string | null; onAirAt: string | null },
  source: Source,
  meter: Meter,
  outputs: readonly Output[],
): RunReport {
  const { channelId } = spec.source;
  const over = run.phase === 'stopped' || run.phase === 'failed';
  const copy = (status: PathStatus): PathStatus => ({ ...status });
  return {
    runId: spec.runId,
    livestreamId: spec.livestreamId,
    phase: run.phase,
    error: run.error,
    on_air_at: run.onAirAt,
    source: { channelId, state: source.state, ...meter.source, ...(over && { fps: 0, bitrate_kbps: 0 }) },
    encodings: meter.encodings.map((rates) => (over ? { ...rates, fps: 0, bitrate_kbps: 0, speed: 0 } : rates)),
    publishings: outputs.map(({ spec: output, primary, backup }) => ({
      publishingId: output.publishingId,
      name: output.name,
      type: output.type,
      primary: copy(primary.status),
      backup: backup === undefined ? null : copy(backup.status),
    })),
    runtime: { logo: null, blackout: 'Live', text: null, source: over ? null : channelId },
    watch: outputs
      .filter(({ spec: output, primary }) => output.type === 'HLS / TS' && primary.status.state === 'up')
      .map(({ spec: output }) => ({
        publishingId: output.publishingId,
        path: `/live/${spec.livestreamId}/${output.publishingId}/index.m3u8`,
      })),
  };
}
