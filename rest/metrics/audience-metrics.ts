/** Viewers of what Devices serve, in the Prometheus text format: a sample a Live stream, however many players there are. */
import type { LivestreamStatusView } from '../../domain/shapes/broadcasts/livestream-status.ts';
import { family, type Sample } from './exposition.ts';

interface Stream {
  id: number;
  status: Pick<LivestreamStatusView, 'viewers'>;
}

/** A Live stream that nobody counts the viewers of has no sample. */
export function audienceFamilies(streams: readonly Stream[]): string {
  const each = (valueOf: (viewers: NonNullable<LivestreamStatusView['viewers']>) => number): Sample[] =>
    streams.flatMap(({ id, status: { viewers } }) =>
      viewers === null ? [] : [{ labels: { livestream: id }, value: valueOf(viewers) }],
    );
  return [
    family(
      'onair_viewers',
      'gauge',
      'Players that watch what its Device serves.',
      each(({ now }) => now),
    ),
    family(
      'onair_viewers_peak',
      'gauge',
      'The most of them at a time in the run.',
      each(({ peak }) => peak),
    ),
    family(
      'onair_watched_seconds',
      'gauge',
      'Time that they have watched in the run, all together.',
      each(({ minutes }) => minutes * 60),
    ),
  ].join('');
}
