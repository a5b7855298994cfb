/** Turns the platform's status of a run into the report of a Device of our own. */
import type { ReportedAudience } from '../../domain/shapes/broadcasts/audience.ts';
import type { LivestreamStatusView } from '../../domain/shapes/broadcasts/livestream-status.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { CloudRunName } from './resources.ts';
import { manifestOf } from '../../domain/types/destination-questions.ts';

interface Ids {
  remoteId: number;
  name: CloudRunName;
  publishings: ReadonlyMap<number, number>;
  encodings: ReadonlyMap<number, number>;
  names: ReadonlyMap<number, string>;
}

const PHASES = { 0: 'stopped', 1: 'starting', 2: 'running', 3: 'failed' } as const;

/** The platform keeps the rest, and answers it there. */
function audienceOf({ now, peak, minutes }: NonNullable<LivestreamStatusView['viewers']>): ReportedAudience {
  const sums = { sessions: 0, starts: 0, start_ms: 0, stalls: 0, stalled_ms: 0, watched_ms: 0 };
  const by = { session: 0, token: 0, address: now };
  return { now, peak, seconds: minutes * 60, sessions: 0, by, renditions: [], players: [], sums, cached: false };
}

export function reportOf(
  status: LivestreamStatusView,
  { remoteId, name, publishings, encodings, names }: Ids,
): RunReport {
  const { runId, livestreamId, channelId } = name;
  const ours = (ids: ReadonlyMap<number, number>, theirs: number): number =>
    [...ids].find(([, remote]) => remote === theirs)?.[0] ?? 0;
  const paths = status.publishings.map((path) => {
    const publishingId = ours(publishings, path.publishingId);
    return { ...path, publishingId, name: names.get(publishingId) ?? path.name };
  });
  const source = status.source ?? { state: 'idle' as const, fps: 0, bitrate_kbps: 0, last_frame_at: null };
  return {
    runId,
    livestreamId,
    phase: PHASES[status.status],
    error: status.errorstatus,
    on_air_at: status.status === 2 ? status.since : null,
    source: { ...source, channelId },
    conditions: status.conditions,
    // A platform of an earlier version answers neither.
    ...(status.source_watched != null && { source_watched: status.source_watched }),
    ...(status.viewers != null && { audience: audienceOf(status.viewers) }),
    encodings: status.encodings.map((rates) => ({ ...rates, encodingId: ours(encodings, rates.encodingId) })),
    publishings: paths,
    runtime: { ...status.runtime, source: status.status === 2 ? channelId : null },
    watch: status.publishings.flatMap(({ publishingId, type, primary }) => {
      // The platform serves it itself, at its own URL.
      const manifest = manifestOf(type);
      if (manifest === undefined || primary.state !== 'up') return [];
      return [{ publishingId: ours(publishings, publishingId), path: `/live/${remoteId}/${publishingId}/${manifest}` }];
    }),
  };
}
