/** Nothing is on air: what comes next, and the way to start. */
import { useComputed } from '@preact/signals';
import { useList } from '../../api/reads.ts';
import { moment } from '../../live/clock.ts';
import { heardAt, isStale, viewOf } from '../../live/streams.ts';
import { words as common } from '../../i18n/words.ts';
import { hrefOf } from '../../route.ts';
import { shownZone } from '../../shown-zone.ts';
import { Empty } from '../../ui/show/empty.tsx';
import { clockText, durationText } from '../../zone.ts';
import type { NextRow } from './side/next-rows.ts';
import { words } from './words.ts';

export function Nothing({ next }: { next: NextRow | undefined }) {
  const w = words.value.board;
  // The wizard above is the next step while there is nothing to start.
  const isEmpty = useList('getAllLivestreams', { params: { fields: 'id' }, pageSize: 1 }).total === 0;
  const text = useComputed(() => {
    if (next === undefined) return '';
    const name = viewOf(next.livestreamId)?.status.value.name ?? '';
    const left = durationText((next.at - moment.value) / 1000);
    return words.value.board.nextUp(name, clockText(next.at, shownZone.value), left);
  });
  return (
    <Empty text={isStale.value ? common.value.nothingKnown(clockText(heardAt.value, shownZone.value)) : w.nothing}>
      {next !== undefined && <p>{text}</p>}
      <a class={isEmpty ? 'button' : 'button button-main'} href={hrefOf('live-streams')}>
        {common.value.startOne}
      </a>
    </Empty>
  );
}
