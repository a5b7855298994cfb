import type { Recording } from '../../domain/shapes/media/recording.ts';

const AT = '2026-01-01T00:00:00.000Z';

/** A finished Recording of one hour, to be stored; `fields` are what the test is about. */
export function recordingRow(fields: Partial<Recording> = {}): Omit<Recording, 'id'> {
  return {
    created_at: AT,
    updated_at: AT,
    name: 'Show',
    livestreamId: 1,
    livestream_name: 'Show',
    publishingId: 1,
    runId: 'run',
    deviceId: 1,
    status: 'finished',
    errorstatus: null,
    container: 'mp4',
    started_at: AT,
    ended_at: '2026-01-01T01:00:00.000Z',
    duration_seconds: 3600,
    size_bytes: 1000,
    files: 1,
    qualities: [],
    tracks: [],
    remotefolder: null,
    delete_after: null,
    backup: null,
    ...fields,
  };
}
