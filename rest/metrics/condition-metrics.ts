/** Conditions of Live streams on air, in the Prometheus text format. */
import { CONDITION_KINDS, type LivestreamStatusView } from '../../domain/shapes/broadcasts/livestream-status.ts';
import { family } from './exposition.ts';

interface Stream {
  id: number;
  status: Pick<LivestreamStatusView, 'status' | 'conditions'>;
}

export function conditionFamily(streams: readonly Stream[]): string {
  const active = streams.filter(({ status: { status } }) => status === 1 || status === 2);
  return family(
    'onair_livestream_condition',
    'gauge',
    '1 while this is wrong: no sound, a black or a frozen picture, behind real time.',
    active.flatMap(({ id, status: { conditions } }) =>
      CONDITION_KINDS.map((kind) => ({
        labels: { livestream: id, kind },
        value: Number(conditions.some((condition) => condition.kind === kind)),
      })),
    ),
  );
}
