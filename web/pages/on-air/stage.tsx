/** The wall with the bar of acts below it, or why nothing is there. */
import { useRef } from 'preact/hooks';
import { isComplete, streamIds, viewOf } from '../../live/streams.ts';
import { Outline } from '../../ui/show/outline.tsx';
import { FirstBroadcastPlace } from '../../wizard/place.tsx';
import { focusedId } from './acts/focus.ts';
import { Toolbar } from './acts/toolbar.tsx';
import { Nothing } from './nothing.tsx';
import type { NextRow } from './side/next-rows.ts';
import { useStageKeys, Wall } from './wall.tsx';
import { words } from './words.ts';

interface StageProps {
  ids: readonly number[];
  next: readonly NextRow[];
  hasActs: boolean;
}

export function Stage({ ids, next, hasActs }: StageProps) {
  const ref = useRef<HTMLDivElement>(null);
  useStageKeys(ref, ids, hasActs);
  const isFull = streamIds.value.length > 0;
  const isKnown = isComplete.value || isFull;
  const focused = focusedId.value !== undefined && viewOf(focusedId.value) !== undefined ? focusedId.value : undefined;
  const hasBar = hasActs && focused !== undefined && streamIds.value.includes(focused);
  return (
    <div ref={ref} class="stage">
      {!isKnown && <Outline kind="tile" rows={8} />}
      {hasActs && isKnown && <FirstBroadcastPlace />}
      {isKnown && !isFull && <Nothing next={next.find(({ kind }) => kind === 'start')} />}
      {isFull && ids.length === 0 && <p class="soft">{words.value.board.noMatch}</p>}
      <Wall ids={ids} hasActs={hasActs} />
      {hasBar && <Toolbar key={focused} id={focused} />}
    </div>
  );
}
