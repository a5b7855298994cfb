/** A run as others see it. */
import type { PublishingType } from '../../domain/publishing.ts';
import { runtimeOf } from '../../domain/run-change.ts';
import type { PathStatus } from '../../domain/livestream-status.ts';
import type { RunReport, RunSpec } from '../../domain/run.ts';
import type { Meter } from './meter.ts';
import type { Output } from './outputs.ts';
import type { Source } from './source.ts';

/** What a viewer opens; beside the HLS of CMAF there is a manifest.mpd, too. */
const MANIFESTS: Partial<Record<PublishingType, string>> = {
  'HLS / TS': 'index.m3u8',
  CMAF: 'index.m3u8',
  DASH: 'manifest.mpd',
};

const NOTHING_IN_FORCE: RunReport['runtime'] = { logo: null, blackout: 'Live', text: null, source: null };

export function buildReport(
  spec: RunSpec,
  run: { phase: RunReport['phase']; error: string | null; onAirAt: string | null },
  source: Source,
  meter: Meter,
  outputs: readonly Output[],
  { recordings, ...machine }: Pick<RunReport, 'cpu_cores' | 'disk' | 'recordings'>,
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
    ...(over ? {} : machine),
    recordings: recordings ?? [],
    runtime: over ? NOTHING_IN_FORCE : runtimeOf(spec),
    watch: outputs.flatMap(({ spec: output, primary }) => {
      const manifest = MANIFESTS[output.type];
      // With a URL it is watched at the origin.
      if (manifest === undefined || primary.status.state !== 'up' || output.settings.url !== null) return [];
      const path = `/live/${spec.livestreamId}/${output.publishingId}/${manifest}`;
      return [{ publishingId: output.publishingId, path }];
    }),
  };
}
