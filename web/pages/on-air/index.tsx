/** The pages On air and Wall: the wall is the same without acts, for a monitor. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { can } from '../../api/can.ts';
import { useList } from '../../api/reads.ts';
import { words as common } from '../../i18n/words.ts';
import { moment } from '../../live/clock.ts';
import { isComplete, streamIds } from '../../live/streams.ts';
import { noteWarnings } from '../../live/warnings.ts';
import { attentionList } from '../../prefs.ts';
import { route } from '../../route.ts';
import { isNarrow } from '../../ui/narrow.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { LazyDialogs } from './acts/dialogs/lazy-dialogs.tsx';
import { BoardBar } from './board-bar.tsx';
import { Attention } from './side/attention.tsx';
import { LazyTroubles } from './side/lazy-troubles.tsx';
import type { NextRow } from './side/next-rows.ts';
import { Next, NextLine } from './side/next.tsx';
import { useNextRows } from './side/use-next-rows.ts';
import { Stage } from './stage.tsx';
import { useChannelNames } from './tile/channel-names.ts';
import { useWallOrder } from './wall.tsx';
import { words } from './words.ts';

export default function OnAir() {
  const isMonitor = route.value.page === 'wall';
  const filter = useSignal('');
  const isKnown = isComplete.value || streamIds.value.length > 0;
  const ids = useWallOrder(filter).value;
  const next = useNextRows();
  useChannelNames();
  useWarnings();
  useEffect(() => {
    if (isKnown) performance.mark('useful');
  }, [isKnown]);
  const w = common.value;
  const isOpen = !isMonitor && attentionList.value === 'open';
  const stage = <Stage ids={ids} next={next} hasActs={!isMonitor} />;
  return (
    <>
      <BoardBar title={isMonitor ? w.pages.wall : w.pages['on-air']} filter={filter} isMonitor={isMonitor} />
      <div class="board" data-open={isOpen ? '' : undefined}>
        <Attention hasActs={!isMonitor} />
        {isNarrow.value ? (
          <>
            {isOpen && <LazyTroubles />}
            <Narrow next={next} stage={stage} />
          </>
        ) : (
          <>
            {!isMonitor && (
              <div class="side">
                {isOpen && <LazyTroubles />}
                <Next rows={next} />
              </div>
            )}
            {stage}
          </>
        )}
      </div>
      {!isMonitor && <LazyDialogs />}
    </>
  );
}

/** On a phone the tiles and what is next are tabs; beside the tiles one line tells the very next. */
function Narrow({ next, stage }: { next: readonly NextRow[]; stage: ComponentChildren }) {
  const tab = useSignal<'tiles' | 'next'>('tiles');
  const w = common.value;
  return (
    <div>
      {tab.value === 'tiles' && <NextLine row={next[0]} />}
      <Tabs
        label={words.value.board.views}
        tabs={[
          { name: 'tiles', label: w.pages['on-air'] },
          { name: 'next', label: w.next },
        ]}
        chosen={tab.value}
        onChoose={(name) => (tab.value = name)}
      >
        {tab.value === 'tiles' ? stage : <Next rows={next} />}
      </Tabs>
    </div>
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
