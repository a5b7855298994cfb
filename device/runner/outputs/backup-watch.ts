/** A Destination with two paths, of which one is left. */
import type { EventLog } from '../process/event-log.ts';
import type { DestinationPath } from './destination-path.ts';

interface PairOfPaths {
  spec: { publishingId: number; name: string };
  primary: DestinationPath;
  backup: DestinationPath | undefined;
}

/** Reports that a Destination is left to its backup path. The function that is returned is to be called with each change of the primary. */
export function failoverWatch(pathsOf: () => PairOfPaths, events: EventLog): () => void {
  let delivered = false;
  return () => {
    const { spec, primary, backup } = pathsOf();
    const { state, last_error: reason } = primary.status;
    const isBroken = state === 'retrying' || state === 'failed';
    // Once for each breakdown: a path that was switched off, or pauses for new settings, is idle.
    if (isBroken && delivered && backup?.status.state === 'up') {
      const message = `Destination "${spec.name}" is delivered by its backup path alone: the primary is lost.`;
      const { publishingId } = spec;
      events.add('failover', 'warning', message, { publishingId, from: 'primary', to: 'backup', reason });
    }
    if (state !== 'connecting') delivered = state === 'up';
  };
}
