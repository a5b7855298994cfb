/** The effect of a stop. */
import type { LivestreamStatus, Path } from '../../../live/status.ts';

export interface StopEffect {
  status: number;
  /** Destinations with a path that is on and has not given up. */
  destinations: number;
  endsRecording: boolean;
}

function delivers(path: Path | null): boolean {
  return path !== null && path.enabled && path.state !== 'failed';
}

export function stopEffect(status: Pick<LivestreamStatus, 'status' | 'publishings' | 'recordingId'>): StopEffect {
  return {
    status: status.status,
    destinations: status.publishings.filter(({ primary, backup }) => delivers(primary) || delivers(backup)).length,
    endsRecording: status.recordingId !== null,
  };
}
