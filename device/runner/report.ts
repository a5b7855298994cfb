/** The report of a run, for the agent and the control plane. */
import { systemClock, toIso } from '../../domain/time/clock.ts';
import { playbackPath } from '../../domain/shapes/destinations/playback.ts';
import { OPEN_GATE } from '../../domain/shapes/broadcasts/run-move.ts';
import { isTake } from '../../domain/shapes/media/recording.ts';
import { runtimeOf } from '../../domain/shapes/changes/run-change.ts';
import type { PathStatus } from '../../domain/shapes/broadcasts/livestream-status.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import { startingReport } from '../starting-report.ts';
import type { LadderPlan } from '../media/ladder/ladder-plan.ts';
import type { RateMeter } from './encoder/meter.ts';
import { notesOf } from './outputs/output-refusal.ts';
import { rotationReport, type Output } from './outputs/outputs.ts';
import type { Source } from './playout/source.ts';
import { manifestOf } from '../../domain/types/destination-questions.ts';

const NOTHING_IN_FORCE: RunReport['runtime'] = { logo: null, blackout: 'Live', text: null, source: null };

type Facts = Pick<
  RunReport,
  'gate' | 'cpu_cores' | 'cores_taken' | 'disk' | 'recordings' | 'peaks' | 'flags' | 'conditions' | 'source_watched'
>;

interface Reported {
  spec: RunSpec;
  run: { phase: RunReport['phase']; error: string | null; onAirAt: string | null; plan: LadderPlan };
  source: Source;
  meter: RateMeter;
  outputs: readonly Output[];
  facts: Facts;
}

export function buildReport({
  spec,
  run,
  source,
  meter,
  outputs,
  facts: { recordings, ...facts },
}: Reported): RunReport {
  const { channelId } = spec.source;
  const take = outputs.find((output) => isTake(output.spec));
  const destinations = outputs.filter((output) => !isTake(output.spec));
  const nowMs = systemClock.now();
  const rotations = destinations.flatMap(
    ({ spec: { publishingId, drm } }) => rotationReport(publishingId, drm, nowMs) ?? [],
  );
  const isOver = run.phase === 'stopped' || run.phase === 'failed';
  const copy = (status: PathStatus): PathStatus => ({ ...status });
  return {
    runId: spec.runId,
    livestreamId: spec.livestreamId,
    phase: run.phase,
    error: run.error,
    on_air_at: run.onAirAt,
    source: {
      channelId,
      state: source.state,
      ...meter.source,
      levels: isOver ? [] : source.levels,
      ...(isOver && { fps: 0, bitrate_kbps: 0 }),
    },
    encodings: meter.encodings.map((rates) => (isOver ? { ...rates, fps: 0, bitrate_kbps: 0, speed: 0 } : rates)),
    publishings: destinations.map(({ spec: output, primary, backup }) => ({
      publishingId: output.publishingId,
      name: output.name,
      type: output.type,
      primary: copy(primary.status),
      backup: backup === undefined ? null : copy(backup.status),
      notes: notesOf(output.type, run.plan),
    })),
    ...(isOver ? {} : facts),
    recordings: recordings ?? [],
    ...(rotations.length > 0 && !isOver && { key_rotations: rotations }),
    ...(take !== undefined && !isOver && { take: copy(take.primary.status) }),
    runtime: isOver ? NOTHING_IN_FORCE : runtimeOf(spec),
    watch: outputs.flatMap(({ spec: output, primary }) => {
      const manifest = manifestOf(output.type);
      // A Destination with a URL is watched at its origin.
      if (manifest === undefined || primary.status.state !== 'up' || output.settings.url !== null) return [];
      const path = `${playbackPath(spec.livestreamId, output.publishingId)}${manifest}`;
      const { publishingId, access } = output;
      return [{ publishingId, path, ...(access !== undefined && { access }) }];
    }),
  };
}

/** The report of a run whose source is opened before it is planned. */
export function openingReport(spec: RunSpec): RunReport {
  const report = startingReport(spec, toIso(systemClock.now()));
  const gate = { ...(spec.gate ?? OPEN_GATE), ready: false, through: false };
  return { ...report, source: { ...report.source, state: 'connecting', levels: [] }, recordings: [], gate };
}
