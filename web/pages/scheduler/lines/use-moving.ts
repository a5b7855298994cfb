/** Moves bars and marks of the time line by pointer and keys; it has other keys too. */
import type { RefObject } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { can } from '../../../api/can.ts';
import { useKeys } from '../../../ui/registry/keys.ts';
import { createMoving, type Draft, type Moving } from '../../../ui/timeline/moving.ts';
import type { TimeRow } from '../../../ui/timeline/timeline.tsx';
import type { Plan } from '../data/occurrences.ts';
import { showZoom, view, zoom, ZOOMS } from '../data/state.ts';
import { words } from '../words.ts';
import { addAt, commit, warningOf } from './acts.ts';
import type { ActionRow } from './rows.ts';
import { walk } from './walk.ts';

/** As it is drawn. */
export interface Drawn {
  plan: Plan;
  actions: readonly ActionRow[];
  timeRows: readonly TimeRow[];
  /** Begins of the days, where each is a row. */
  days: readonly number[] | undefined;
}

export function useMoving(
  box: RefObject<HTMLElement | null>,
  drawn: Drawn,
): { moving: Moving; hear: (event: KeyboardEvent) => void } {
  const w = words.value;
  const latest = useRef(drawn);
  latest.current = drawn;
  const moving = useMemo(
    () =>
      createMoving(
        (draft) => commit(draft, latest.current.plan, latest.current.actions),
        (draft) => warningOf(draft, latest.current.plan),
      ),
    [],
  );
  const step = (part: 'whole' | 'end', by: -1 | 1) => (event: KeyboardEvent) => {
    const draft = draftOf(event.target, latest.current);
    if (draft !== undefined) moving.step(draft, part, by);
  };
  useKeys(box, w.rowKeys, {
    '[': { does: w.keys.move, act: step('whole', -1) },
    ']': { does: w.keys.move, act: step('whole', 1), isListed: false },
    '{': { does: w.keys.resize, act: step('end', -1) },
    '}': { does: w.keys.resize, act: step('end', 1), isListed: false },
    N: { does: w.keys.add, act: ({ target }) => addAt(target, latest.current.plan) },
    '+': { does: w.keys.zoom, act: () => zoomBy(-1) },
    '-': { does: w.keys.zoom, act: () => zoomBy(1), isListed: false },
  });
  const hear = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && moving.draft.value !== undefined) moving.commit();
    else if (event.key === 'Escape' && moving.draft.value !== undefined) moving.back();
    else if (!walk(event, box.current)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { moving, hear };
}

function zoomBy(by: -1 | 1): void {
  const next = ZOOMS[ZOOMS.indexOf(zoom.peek()) + by];
  if (view.peek() === 'rundown' && next !== undefined) showZoom(next);
}

/** The bar or mark in focus, as it would be moved. */
function draftOf(target: EventTarget | null, { plan, timeRows, days }: Drawn): Draft | undefined {
  const { bar: key, mark } = target instanceof HTMLElement ? target.dataset : {};
  const held = timeRows.flatMap(({ marks }) => marks).find((each) => each.key === mark);
  if (held?.onOpen !== undefined)
    return { key: held.key, rowId: held.rowId, startMs: held.atMs, endMs: held.atMs, isMark: true };
  const row = plan.occurrences.find((each) => each.key === key);
  if (row === undefined || row.state !== 'planned' || !can('updateSchedule')) return undefined;
  const rowId = days === undefined ? row.livestreamId : (days.findLast((day) => day <= row.startMs) ?? 0);
  return { key: row.key, rowId, startMs: row.startMs, endMs: row.endMs };
}
