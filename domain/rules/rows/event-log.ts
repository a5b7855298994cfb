import type { EventKind, LivestreamEvent, Severity } from '../../shapes/installation/event.ts';
import type { Tx } from '../../ports/store.ts';

interface NewEvent {
  kind: EventKind;
  severity: Severity;
  message: string;
  data?: LivestreamEvent['data'] | undefined;
}

/** Runs inside a commit: an event is stored with the change that it describes, or not at all. */
export function addEvent(
  tx: Tx,
  at: string,
  livestreamId: number | null,
  { kind, severity, message, data = {} }: NewEvent,
): void {
  tx.insert('events', { at, livestreamId, kind, severity, message, data });
}
