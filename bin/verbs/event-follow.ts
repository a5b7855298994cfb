/**
 * The event log of one Live stream as it grows. Ids rise and are never used twice, and an event that a Device brings late has an old
 * time but a new id. New events are therefore known by their ids: none is missed or shown twice, not even over a restart of the server.
 */
import type { LivestreamEvent } from '../../domain/shapes/installation/event.ts';
import { pause } from '../../domain/time/pause.ts';
import { AppError, type ErrorCode } from '../../domain/base/errors.ts';

/** An operation of the server, as the CLI calls it. */
export type CallTool = (operation: string, args: Record<string, unknown>) => Promise<unknown>;

export interface FollowOptions {
  livestreamId: number;
  /** ISO instant: earlier events are left out. Events that are added later are shown whatever their time is. */
  from?: string | undefined;
  /** false: ends after the events that are there now. */
  follow: boolean;
  pollMs: number;
  signal: AbortSignal;
  /** Called with the error when the server stops answering, and with undefined when it answers again. */
  onAway(error: AppError | undefined): void;
}

interface Page {
  rows: LivestreamEvent[];
  pagination: { totalPages: number };
}

/** The API gives no larger page; the events that are there already are read by it. */
const PAGE = 500;
/** A second rarely adds more than two events. */
const NEW_PAGE = 50;
/** These errors pass by themselves: the server restarts, is busy, or is called too often. */
const PASSING: readonly ErrorCode[] = ['unavailable', 'timeout', 'rate_limited', 'internal', 'upstream_failed'];

/** Yields the oldest first. Ends without an error when the signal aborts; rejects with AppError when another try cannot help. */
export async function* followEvents(callTool: CallTool, options: FollowOptions): AsyncGenerator<LivestreamEvent> {
  const { livestreamId, from, follow, pollMs, signal } = options;
  const page = (args: object): Promise<Page> =>
    callTool('getLivestreamEvents', { livestreamId, ...args }) as Promise<Page>;
  const newest = (await page({ sort: '-id', pageSize: 1 })).rows[0]?.id ?? 0;
  const present = await eventsAfter(0, (args) => page({ ...args, pageSize: PAGE, ...(from && { from }) }));
  for (const event of byInstant(present)) if (event.id <= newest) yield event;
  let last = newest;
  let away = false;
  while (follow && !signal.aborted) {
    if (!(await pause(pollMs, signal))) return;
    let fresh: LivestreamEvent[];
    try {
      fresh = await eventsAfter(last, (args) => page({ ...args, pageSize: NEW_PAGE }));
    } catch (error) {
      if (!(error instanceof AppError) || !PASSING.includes(error.code)) throw error;
      if (!away) options.onAway(error);
      away = true;
      continue;
    }
    if (away) options.onAway(undefined);
    away = false;
    for (const event of byInstant(fresh)) yield event;
    last = Math.max(last, ...fresh.map(({ id }) => id));
  }
}

/** Events that came together are shown in the order of their times: one that a Device brings late happened before the others. */
function byInstant(events: readonly LivestreamEvent[]): LivestreamEvent[] {
  return [...events].sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || a.id - b.id);
}

/**
 * Reads the newest pages first, until one reaches an event that is known. Events that arrive meanwhile push others to later pages, where
 * they are seen twice, and old events are removed at the other end; pages from the oldest on would miss some.
 */
async function eventsAfter(last: number, page: (args: object) => Promise<Page>): Promise<LivestreamEvent[]> {
  const events = new Map<number, LivestreamEvent>();
  for (let number = 1; ; number += 1) {
    const { rows, pagination } = await page({ sort: '-id', page: number });
    for (const event of rows) if (event.id > last) events.set(event.id, event);
    const isReached = rows.some(({ id }) => id <= last);
    if (isReached || rows.length === 0 || number >= pagination.totalPages) break;
  }
  return [...events.values()];
}
