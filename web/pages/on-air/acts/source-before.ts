/** The source that a broadcast had before the present one, by its events. */
import type { StreamEvent } from '../../../live/feed.ts';
import type { LivestreamStatus } from '../../../live/status.ts';

type Sourced = Pick<LivestreamStatus, 'livestreamId' | 'runtime' | 'source'>;

export const sourceOf = ({ runtime, source }: Pick<Sourced, 'runtime' | 'source'>): number | undefined =>
  runtime.source ?? source?.channelId;

/** `left` is known otherwise; `switchable` are the Channels that a broadcast on air can be switched to. */
export function beforeIn(
  events: readonly StreamEvent[],
  status: Sourced,
  { left, switchable }: { left: number | undefined; switchable: ReadonlySet<number> },
): number | undefined {
  const present = sourceOf(status);
  const last = events.findLast(
    ({ livestreamId, kind }) =>
      livestreamId === status.livestreamId && (kind === 'source_switched' || kind === 'failover'),
  );
  const { from, to } = (last?.data ?? {}) as { from?: number; to?: number };
  const known = to === present ? from : left;
  return known !== undefined && known !== present && switchable.has(known) ? known : undefined;
}
