/** Events during a Recording, as places on its bar. */
export interface RunEvent {
  id?: number;
  at?: string;
  kind?: string;
  severity?: string;
  message?: string;
  data?: Record<string, unknown>;
}

export interface RunMark {
  id: number;
  /** From the beginning of the Recording. */
  seconds: number;
  shape: 'fault' | 'warning' | 'switch' | 'cue' | 'change';
  kind: string;
  message: string;
}

/** The life of the Recording itself, and of Destinations that come up, are no reason to look at the picture. */
const SILENT = new Set([
  'start_requested',
  'started',
  'stop_requested',
  'stopped',
  'destination_up',
  'recording_opened',
  'recording_closed',
  'recording_finished',
  'recording_backed_up',
  'recording_backup_failed',
  'recording_deleted',
  'clip_created',
  'schedule_started',
  'schedule_stopped',
  'adopted',
]);
const SWITCHES = new Set(['source_switched', 'failover', 'source_restored']);

export function runMarks(events: readonly RunEvent[], startedAt: string, length: number): RunMark[] {
  const begin = Date.parse(startedAt);
  return events
    .filter(({ kind = '' }) => !SILENT.has(kind))
    .map((event) => ({
      id: event.id ?? 0,
      seconds: (Date.parse(event.at ?? '') - begin) / 1000,
      shape: shapeOf(event),
      kind: event.kind ?? '',
      message: event.message ?? '',
    }))
    .filter(({ seconds }) => seconds >= 0 && seconds <= length)
    .sort((one, other) => one.seconds - other.seconds || one.id - other.id);
}

function shapeOf({ kind = '', severity, data }: RunEvent): RunMark['shape'] {
  if (kind === 'source_lost' || severity === 'error') return 'fault';
  if (SWITCHES.has(kind)) return 'switch';
  if (data?.['change'] === 'cue' || data?.['type'] === 'CueOut' || data?.['type'] === 'CueIn') return 'cue';
  return severity === 'warning' ? 'warning' : 'change';
}
