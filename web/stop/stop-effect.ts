/** The effect of a stop. */
import type { LivestreamStatus } from '../live/status.ts';

export interface StopEffect {
  status: number;
  /** Destinations with a path that is switched on, as the server counts them. */
  destinations: number;
  endsRecording: boolean;
}

export function stopEffect(status: Pick<LivestreamStatus, 'status' | 'publishings' | 'recordingId'>): StopEffect {
  return {
    status: status.status,
    destinations: status.publishings.filter(({ primary, backup }) => primary.enabled || backup?.enabled === true)
      .length,
    endsRecording: status.recordingId !== null,
  };
}
