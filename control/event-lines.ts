/** The server's own log of broadcasts: a line for each event that tells whether viewers have it, from the event log. */
import type { EventKind, LivestreamEvent } from '../domain/event.ts';
import type { Log } from '../domain/log.ts';

/** All others say how it goes on, or belong to people: they are in the event log alone. */
const LOGGED: readonly EventKind[] = [
  'start_requested', 'started', 'start_failed', 'source_lost', 'source_restored', 'destination_up', 'destination_down',
  'destination_failed', 'failover', 'encoder_restarted', 'adopted', 'stop_requested', 'stopped', 'schedule_missed',
]; // prettier-ignore

const LEVELS = { info: 'info', warning: 'warn', error: 'error' } as const;

export function logEvent(log: Log, event: Readonly<LivestreamEvent>, name: string | undefined): void {
  const { livestreamId, kind, severity, at, message, data } = event;
  if (!LOGGED.includes(kind)) return;
  const runId = data['runId'] === undefined ? {} : { runId: data['runId'] };
  log[LEVELS[severity]]({ livestreamId, kind, at, ...runId }, name === undefined ? message : `${name}: ${message}`);
}
