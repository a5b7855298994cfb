/** Notices that a Destination is left to its backup path: its primary breaks down while the backup delivers. */
import type { EventLog } from '../process/event-log.ts';
import type { Output } from './outputs.ts';

/** To be called with each change of the primary path's status. */
export function failoverWatch(outputOf: () => Output, events: EventLog): () => void {
  let delivered = false;
  return () => {
    const { spec, primary, backup } = outputOf();
    const { state, last_error: reason } = primary.status;
    const isBroken = state === 'retrying' || state === 'failed';
    // Once for each breakdown; a path that was switched off, or pauses for new settings, is idle.
    if (isBroken && delivered && backup?.status.state === 'up') {
      const { publishingId, name } = spec;
      const message = `Destination "${name}" is delivered by its backup path alone: the primary is lost.`;
      events.add('failover', 'warning', message, { publishingId, from: 'primary', to: 'backup', reason });
    }
    if (state !== 'connecting') delivered = state === 'up';
  };
}
