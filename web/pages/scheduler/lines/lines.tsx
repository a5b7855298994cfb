/** Rundown and Week: the time line with its keys, what is moved in it, and how many are on at once. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useAll } from '../../../api/all.ts';
import { can } from '../../../api/can.ts';
import { shownZone } from '../../../shown-zone.ts';
import { timesOf, type PlannedRow } from '../../../resource/planned-action/times.ts';
import { Timeline } from '../../../ui/timeline/timeline.tsx';
import type { OccurrenceRow, Plan } from '../data/occurrences.ts';
import { chosen, loaded, minute, search, shown, zoom, ZOOMS } from '../data/state.ts';
import { words } from '../words.ts';
import { choose, openAction, streamNameIn } from './acts.ts';
import { CapacityRows, usePlaces } from './capacity-rows.tsx';
import { Collisions } from './collisions.tsx';
import { headOf, headOfDay } from './head.ts';
import { useMoving } from './use-moving.ts';
import { inWeek, weekChoice } from './week-choice.ts';
import { WeekChoice } from './week-dialog.tsx';
import { rundownRows, weekRows, wholeName, type ActionRow } from './rows.ts';

interface LinesProps {
  plan: Plan;
  rows: readonly OccurrenceRow[];
  isWeek: boolean;
}

/** A bar and the beginning of its name. */
const MIN_SHARE = 0.07;
/** A bar alone: in four weeks a day is not much wider. */
const BAR_PX = 26;

export function Lines({ plan, rows, isWeek }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(plan);
  latest.current = plan;
  const zone = shownZone.value;
  const edges = shown.value;
  const trackPx = useTrackWidth(box);
  const actions = useActions();
  const text = search.value.trim().toLowerCase();
  const found = plan.streams.filter(
    ({ id, name }) => text === '' || name.toLowerCase().includes(text) || rows.some((row) => row.livestreamId === id),
  );
  const streams = isWeek ? inWeek(found, weekChoice.value) : found;
  const ids = new Set(streams.map(({ id }) => id));
  const parts = {
    occurrences: rows.filter(({ livestreamId }) => ids.has(livestreamId)),
    actions: actions.filter((row) => ids.has(row.livestreamId)),
    zone,
    onOpenAction: can('updatePlannedAction') ? (row: ActionRow) => openAction(row, latest.current) : undefined,
    streamName: (id: number) => streamNameIn(plan, id),
    nameShare: isWeek ? wholeName(trackPx) : () => (zoom.value === ZOOMS.at(-1) ? BAR_PX / trackPx : MIN_SHARE),
  };
  const timeRows = isWeek ? weekRows(parts, edges) : rundownRows(parts, streams, edges);
  const drawn = { plan, actions: parts.actions, timeRows, days: isWeek ? edges : undefined };
  const { moving, hear } = useMoving(box, drawn);
  const [fromMs, toMs] = [edges[0]!, edges.at(-1)!];
  const places = usePlaces(plan, { fromMs, toMs });
  const { head, ticks } = isWeek ? { head: headOfDay(), ticks: [] } : headOf(zoom.value, edges, zone);
  return (
    <div ref={box} onKeyDown={hear}>
      {isWeek && <WeekChoice streams={found} />}
      <Timeline
        label={words.value.timeline}
        rows={timeRows}
        head={head}
        ticks={ticks}
        now={minute.value}
        chosen={chosen.value?.occurrence?.key}
        onChoose={(key) => choose(key, latest.current)}
        moving={can('updateSchedule') ? moving : undefined}
        foot={!isWeek && <CapacityRows places={places} fromMs={fromMs} toMs={toMs} />}
      />
      <Collisions places={places} plan={plan} />
    </div>
  );
}

/** Pending ones of the loaded weeks. */
function useActions(): readonly ActionRow[] {
  const [from, to] = [loaded.value.from, loaded.value.to].map((at) => new Date(at).toISOString());
  const { rows } = useAll('getAllPlannedActions', { from, to, status: 'pending' });
  return useMemo(() => timesOf(rows as readonly PlannedRow[]).filter(({ status }) => status === 'pending'), [rows]);
}

/** Names are laid out anew when it has changed by as much. */
const STEP_PX = 50;

/** The width of a row without its label, as far as names need it. */
function useTrackWidth(box: { current: HTMLElement | null }): number {
  const width = useSignal(900);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      const track = element.querySelector('.timeline-track')?.clientWidth ?? 0;
      if (track > 0) width.value = Math.max(STEP_PX, Math.floor(track / STEP_PX) * STEP_PX);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return width.value;
}
