import type { ReportedAudience, ViewersView } from '../domain/shapes/broadcasts/audience.ts';
import type { Livestream } from '../domain/shapes/broadcasts/livestream.ts';
import type { LivestreamStatusView } from '../domain/shapes/broadcasts/livestream-status.ts';
import { ALARM_SECONDS } from '../domain/shapes/broadcasts/sound.ts';
import type { Run, RunReport } from '../domain/shapes/broadcasts/run.ts';
import type { Ingests } from './ingest/ingests.ts';

function viewersOf(audience: ReportedAudience | undefined): ViewersView {
  if (audience === undefined) return null;
  const { now, peak, seconds } = audience;
  return { now, peak, minutes: Math.round(seconds / 6) / 10 };
}

const NOTHING_IN_FORCE = { logo: null, blackout: 'Live', text: null, source: null };

export interface LostDevices {
  /** Since when the Device is lost; null while it is not. */
  lostSince(deviceId: number | null): string | null;
}

interface StatusViewOptions {
  report: RunReport | undefined;
  nowIso: string;
  recordingId: number | null;
  ingests: Pick<Ingests, 'ingestById'>;
  presence: LostDevices;
}

/** The contract's status object: the run's order and state, and the last report of its runner. */
export function statusView(
  livestream: Pick<Livestream, 'id' | 'name'>,
  run: Readonly<Run> | undefined,
  { report, nowIso, recordingId, ingests, presence }: StatusViewOptions,
): LivestreamStatusView {
  const status = run?.status ?? 0;
  const lostSince = run === undefined || status === 0 ? null : presence.lostSince(run.deviceId);
  // What a Device that is lost said last is not what is.
  const current = status === 0 || lostSince !== null ? undefined : report;
  const started = run?.started_at ?? null;
  return {
    livestreamId: livestream.id,
    name: livestream.name,
    status,
    errorstatus: run?.errorstatus ?? null,
    since: run?.since ?? null,
    uptime_seconds: started === null ? 0 : Math.max(0, Math.round((Date.parse(nowIso) - Date.parse(started)) / 1000)),
    deviceId: run?.deviceId ?? null,
    slot: run?.slot ?? null,
    source:
      current === undefined
        ? null
        : { ...current.source, ingest: ingests.ingestById(current.source.channelId, run?.deviceId) },
    conditions: current?.conditions ?? [],
    source_watched: current?.source_watched ?? null,
    lost_seconds: run?.inForce?.alarms?.lost_seconds ?? ALARM_SECONDS.lost,
    encodings: current?.encodings ?? [],
    publishings: current?.publishings ?? [],
    runtime: current?.runtime ?? NOTHING_IN_FORCE,
    recordingId,
    recording_on_request: status === 2 && run?.takes?.isOpen === true,
    scheduleId: run?.scheduleId ?? null,
    viewers: viewersOf(current?.audience),
    on_air: status === 2 && lostSince === null,
    device_lost_since: lostSince,
  };
}
