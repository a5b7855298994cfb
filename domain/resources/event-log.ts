import type { EventKind, LivestreamEvent, Severity } from '../event.ts';
import type { Tx } from '../store.ts';

/** How long the event log reaches back, and how many older entries one new one takes away. */
const KEPT_MS = 90 * 86_400_000;
const SWEEP_LIMIT = 4;

/** Inside a commit: an event is stored with what it tells of, or not at all. */
export function addEvent(
  tx: Tx,
  at: string,
  livestreamId: number | null,
  kind: EventKind,
  severity: Severity,
  message: string,
  data: LivestreamEvent['data'] = {},
): void {
  tx.insert('events', { at, livestreamId, kind, severity, message, data });
  const oldest = new Date(Date.parse(at) - KEPT_MS).toISOString();
  for (const { id } of tx.find('events', { where: { at: { lt: oldest } }, limit: SWEEP_LIMIT }).rows)
    tx.delete('events', id);
}
