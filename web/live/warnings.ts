/** Starts of a Schedule that would fail as things are, until their time has come. */
import { signal } from '@preact/signals';
import type { StreamEvent } from './feed.ts';

export interface ScheduleWarning {
  /** Milliseconds since 1970. */
  since: number;
  startsAt: number;
  message: string;
}

const known = signal<ReadonlyMap<number, ScheduleWarning>>(new Map());

/** Takes an event of the feed or of the log; others than warnings are passed over. */
export function noteWarnings(
  events: readonly Pick<StreamEvent, 'livestreamId' | 'kind' | 'at' | 'message' | 'data'>[],
): void {
  const found = events.flatMap(({ livestreamId, kind, at, message, data }) => {
    const startsAt = Date.parse(String((data as Record<string, unknown> | undefined)?.['occurrence_start']));
    if (kind !== 'schedule_warning' || livestreamId === null || Number.isNaN(startsAt)) return [];
    return [[livestreamId, { since: Date.parse(at), startsAt, message }] as const];
  });
  if (found.length > 0) known.value = new Map([...known.peek(), ...found]);
}

export function warningOf(id: number, now: number): ScheduleWarning | undefined {
  const warning = known.value.get(id);
  return warning !== undefined && warning.startsAt > now ? warning : undefined;
}
