/** A run comes on air, or has another agent, and its runner says so. */
import type { EventLog } from './process/event-log.ts';

interface Instants {
  startedAt: number;
  firstFrameAt: number;
  /** Facts of the event about the time since a predecessor had it on air. */
  gap: object;
}

/** Answers the instant since which the run is on air; `onAirAt` is that of a predecessor of this process. Instants are of performance.now(). */
export function tellOnAir(
  events: EventLog,
  onAirAt: string | null,
  { startedAt, firstFrameAt, gap }: Instants,
): string {
  const seconds = (at: number): number => Number(((at - startedAt) / 1000).toFixed(3));
  const data = { firstFrameSeconds: seconds(firstFrameAt), onAirSeconds: seconds(performance.now()) };
  const after = `${data.onAirSeconds.toFixed(1)} s`;
  // A restarted runner reads this instant from the event.
  if (onAirAt === null) return events.add('started', 'info', `On air after ${after}.`, data).at;
  const message = `On air again ${after} after a restart of the runner.`;
  events.add('encoder_restarted', 'warning', message, { ...data, runner: true, ...gap });
  return onAirAt;
}

/** Nothing has changed for viewers. */
export function tellAdopted(events: EventLog, awayMs: number): void {
  const seconds = Number((awayMs / 1000).toFixed(1));
  const message = `The Device agent was away for ${seconds.toFixed(1)} s; a restarted one has taken the running stream over.`;
  events.add('adopted', 'info', message, { since: events.instantAgo(awayMs), seconds });
}
