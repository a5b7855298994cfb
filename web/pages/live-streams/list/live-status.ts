/** The live status of a row: the feed's where it has spoken of the stream, otherwise that of the answer. */
import { computed } from '@preact/signals';
import type { StateName } from '../../../live/health.ts';
import type { LivestreamStatus } from '../../../live/status.ts';
import { feed, healthOfStream, isStale, streamSignal } from '../../../live/streams.ts';
import type { StreamRow } from './parts.ts';

type Row = Pick<StreamRow, 'id' | 'status'>;

const STATES: readonly StateName[] = ['off', 'starting', 'on-air', 'failed'];

export function liveStatus(id: number): LivestreamStatus | undefined {
  const stream = streamSignal(id);
  // One that the feed names later is looked for again then.
  if (stream === undefined) void feed.value;
  return stream?.value.status;
}

/** Changes with the status of any stream, and with nothing else: the list is filtered anew then, and not with each figure. */
export const allStatuses = computed(() =>
  [...feed.value.streams.values()].map(({ status }) => `${status.livestreamId} ${status.status}`).join(),
);

/** The status without following it. */
export function peekStatus({ id, status }: Row): number {
  return feed.peek().streams.get(id)?.status.status ?? status;
}

export function statusOf({ id, status }: Row): number {
  return liveStatus(id)?.status ?? status;
}

export function stateOf(row: Row): StateName {
  if (isStale.value) return 'unknown';
  const status = statusOf(row);
  // The health of one that is off says nothing more, and follows every figure of the feed.
  if (status === 0) return 'off';
  return healthOfStream(row.id)?.state ?? STATES[status] ?? 'unknown';
}

/** A stream that has failed may be started at once. */
export function isStartable(status: number): boolean {
  return status === 0 || status === 3;
}
