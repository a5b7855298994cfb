/** The rundown and the week, walked and moved by keys. */
import { useMemo, useRef } from 'preact/hooks';
import { moment } from '../../live/clock.ts';
import { can } from '../../api/can.ts';
import { Empty } from '../../ui/show/empty.tsx';
import { announce } from '../../ui/registry/notices.ts';
import { useKeys } from '../../ui/registry/keys.ts';
import { TimeLine } from '../../ui/timeline/time-line.tsx';
import type { Occurrence, Plan } from './data.ts';
import { move, moveBy, moved, overlapOf, type Move } from './moves.ts';
import { dayRows, streamRows, ticksOf } from './rows.ts';
import { dayText, minuteText } from './texts.ts';
import { shownDays, shownFrom, shownTo, view } from './window.ts';
import { words } from './words.ts';

interface PlanViewProps {
  plan: Plan;
  occurrences: readonly Occurrence[];
  chosen: string | undefined;
  onChoose: (id: string) => void;
  onMoved: (occurrence: Occurrence, times: Move) => void;
}

export function PlanView({ plan, occurrences, chosen, onChoose, onMoved }: PlanViewProps) {
  const ref = useRef<HTMLDivElement>(null);
  const w = words.value;
  const [from, to, days] = [shownFrom.value, shownTo.value, shownDays.value];
  const isWeek = view.value === 'week';
  const present = move.value;
  const rows = useMemo(() => {
    const placed = occurrences.map((each) => moved(each, present));
    return isWeek ? dayRows(plan, placed, from, days) : streamRows(plan, placed, from, to);
  }, [plan, occurrences, present, isWeek, from, to]);
  const focused = (): Occurrence | undefined => {
    const id = (document.activeElement as HTMLElement | null)?.dataset['item'];
    return occurrences.find((each) => each.id === id);
  };
  const walk = (by: number) => (): void => {
    const all = [...(ref.current?.querySelectorAll<HTMLElement>('[data-item]') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
  };
  const shift = (steps: number, endAlone: boolean) => (): void => {
    const occurrence = focused();
    if (occurrence?.state !== 'planned' || !can('updateSchedule')) return;
    const next = moveBy(occurrence, steps, endAlone);
    const other = overlapOf(occurrences, occurrence.id, next);
    const times = w.moved(`${dayText(next.start)} ${minuteText(next.start)}`, minuteText(next.end));
    announce(other === undefined ? times : `${times}. ${w.overlap(other.name)}`);
  };
  const commit = (): void => {
    const occurrence = focused();
    if (occurrence === undefined) return;
    if (present?.id === occurrence.id) onMoved(occurrence, present);
    else onChoose(occurrence.id);
  };
  const k = w.keys;
  useKeys(ref, w.title, {
    ArrowRight: { does: k.walk, act: walk(1) },
    ArrowLeft: { does: k.walk, act: walk(-1), isListed: false },
    ArrowDown: { does: k.walk, act: walk(1), isListed: false },
    ArrowUp: { does: k.walk, act: walk(-1), isListed: false },
    '[': { does: k.earlier, act: shift(-1, false) },
    ']': { does: k.later, act: shift(1, false) },
    'Shift [': { does: k.earlier, act: shift(-1, true), isListed: false },
    'Shift ]': { does: k.later, act: shift(1, true), isListed: false },
    Enter: { does: k.commit, act: commit },
    Escape: { does: k.back, act: () => (move.value = undefined) },
  });
  if (rows.length === 0) return <Empty text={w.empty} />;
  return (
    <div ref={ref}>
      <TimeLine
        label={w.views[isWeek ? 'week' : 'rundown']}
        rows={rows}
        ticks={isWeek ? ticksOf(from, from + 86_400_000, 1) : ticksOf(from, to, days)}
        now={moment.value}
        chosen={chosen}
        onChoose={onChoose}
      />
    </div>
  );
}
