/** The server's own log of broadcasts: it has a line for each stored event that says whether viewers have the broadcast. */
import type { EventKind, LivestreamEvent } from '../domain/event.ts';
import type { Log } from '../domain/log.ts';

/** All other kinds describe details or belong to people; they are in the event log alone. */
const LOGGED: readonly EventKind[] = [
  'start_requested',
  'started',
  'start_failed',
  'source_lost',
  'source_restored',
  'destination_up',
  'destination_down',
  'destination_failed',
  'failover',
  'encoder_restarted',
  'adopted',
  'stop_requested',
  'stopped',
  'schedule_missed',
];

const LEVELS = { info: 'info', warning: 'warn', error: 'error' } as const;

export function logEvent(log: Log, event: Readonly<LivestreamEvent>, name: string | undefined): void {
  const { livestreamId, kind, severity, at, message, data } = event;
  if (!LOGGED.includes(kind)) return;
  const runId = data['runId'] === undefined ? {} : { runId: data['runId'] };
  log[LEVELS[severity]]({ livestreamId, kind, at, ...runId }, name === undefined ? message : `${name}: ${message}`);
}
