/** The pages On air and Wall: the wall is the same without acts, for a monitor. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { can } from '../../api/can.ts';
import { useList } from '../../api/reads.ts';
import { words as common } from '../../i18n/words.ts';
import { moment } from '../../live/clock.ts';
import { isComplete, streamIds, viewOf } from '../../live/streams.ts';
import { noteWarnings } from '../../live/warnings.ts';
import { route } from '../../route.ts';
import { Outline } from '../../ui/show/outline.tsx';
import { FirstBroadcastPlace } from '../../wizard/place.tsx';
import { LazyDialogs } from './acts/lazy-dialogs.tsx';
import { focusedId } from './acts/focus.ts';
import { Toolbar } from './acts/toolbar.tsx';
import { BoardBar } from './board-bar.tsx';
import { Nothing } from './nothing.tsx';
import { Attention } from './side/attention.tsx';
import { Next, useNextRows } from './side/next.tsx';
import { useChannelNames } from './tile/channel-names.ts';
import { useStageKeys, useWallOrder, Wall } from './wall.tsx';
import { words } from './words.ts';

export default function OnAir() {
  const isMonitor = route.value.page === 'wall';
  const stage = useRef<HTMLDivElement>(null);
  const filter = useSignal('');
  const isFull = streamIds.value.length > 0;
  const isKnown = isComplete.value || isFull;
  const ids = useWallOrder(filter).value;
  const next = useNextRows();
  useChannelNames();
  useWarnings();
  useStageKeys(stage, ids, !isMonitor);
  useEffect(() => {
    if (isKnown) performance.mark('useful');
  }, [isKnown]);
  const w = common.value;
  const focused = focusedId.value !== undefined && viewOf(focusedId.value) !== undefined ? focusedId.value : undefined;
  const hasBar = !isMonitor && focused !== undefined && streamIds.value.includes(focused);
  return (
    <>
      <BoardBar title={isMonitor ? w.pages.wall : w.pages['on-air']} filter={filter} isMonitor={isMonitor} />
      <div class="board">
        <Attention hasActs={!isMonitor} />
        <Next rows={next} />
        <div ref={stage} class="stage">
          {!isKnown && <Outline kind="tile" rows={8} />}
          {!isMonitor && isKnown && <FirstBroadcastPlace />}
          {isKnown && !isFull && <Nothing next={next.find(({ kind }) => kind === 'start')} />}
          {isFull && ids.length === 0 && <p class="soft">{words.value.board.noMatch}</p>}
          <Wall ids={ids} hasActs={!isMonitor} />
          {hasBar && <Toolbar key={focused} id={focused} />}
        </div>
      </div>
      {!isMonitor && <LazyDialogs />}
    </>
  );
}

const LOOK_BACK_MS = 6 * 3_600_000;

/** Warnings from before the page was opened; later ones come by the feed. */
function useWarnings(): void {
  const from = useRef(new Date(moment.peek() - LOOK_BACK_MS).toISOString());
  const params = { kind: 'schedule_warning' as const, from: from.current };
  const { rows } = useList('getAllEvents', { params, pageSize: 200, isWanted: can('getAllEvents') });
  useEffect(() => noteWarnings(rows), [rows]);
}
