/** The rows of the time line: a Live stream each over the whole window, or a day each. */
import { shownZone } from '../../shown-zone.ts';
import type { LineRow, LineTick } from '../../ui/timeline/time-line.tsx';
import type { Occurrence, Plan } from './data.ts';
import { dayStart } from './days.ts';
import { dayText, itemText, minuteText } from './texts.ts';
import { words } from './words.ts';

const HOUR_MS = 3_600_000;

const itemOf = (occurrence: Occurrence): LineRow['items'][number] => ({
  id: occurrence.id,
  start: occurrence.start,
  end: occurrence.end,
  name: itemText(occurrence),
  text: `${minuteText(occurrence.start)} ${occurrence.name}`,
  state: occurrence.state,
});

const markOf = ({ id, at, type }: Plan['actions'][number]): LineRow['marks'][number] => ({
  id: String(id),
  at,
  name: words.value.action(type, minuteText(at)),
});

/** Live streams with something in the window, by name. */
export function streamRows(plan: Plan, occurrences: readonly Occurrence[], from: number, to: number): LineRow[] {
  const ids = new Set([...occurrences, ...plan.actions].map(({ livestreamId }) => livestreamId));
  return [...ids]
    .map((id) => ({
      id: String(id),
      label: plan.streams.get(id) ?? `#${id}`,
      from,
      to,
      items: occurrences.filter(({ livestreamId }) => livestreamId === id).map(itemOf),
      marks: plan.actions.filter(({ livestreamId }) => livestreamId === id).map(markOf),
    }))
    .sort((one, other) => one.label.localeCompare(other.label, undefined, { numeric: true }));
}

/** A row a day; an occurrence over midnight stands in both. */
export function dayRows(plan: Plan, occurrences: readonly Occurrence[], from: number, days: number): LineRow[] {
  const zone = shownZone.value;
  return Array.from({ length: days }, (_, day) => {
    const [begin, end] = [dayStart(from, zone, day), dayStart(from, zone, day + 1)];
    const isInside = (at: number): boolean => at >= begin && at < end;
    const inDay = occurrences.filter((each) => each.start < end && begin < each.end);
    return {
      id: String(begin),
      label: dayText(begin),
      from: begin,
      to: end,
      items: inDay.map((each) => ({
        ...itemOf(each),
        text: `${minuteText(each.start)} ${each.stream} · ${each.name}`,
      })),
      marks: plan.actions.filter(({ at }) => isInside(at)).map(markOf),
    };
  });
}

/** Days where there are several, else hours. */
export function ticksOf(from: number, to: number, days: number): LineTick[] {
  const zone = shownZone.value;
  const share = (at: number): number => (at - from) / (to - from);
  if (days > 1)
    return Array.from({ length: days }, (_, day) => dayStart(from, zone, day)).map((at) => ({
      at: share(at),
      text: dayText(at),
    }));
  return Array.from({ length: 8 }, (_, step) => from + step * 3 * HOUR_MS).map((at) => ({
    at: share(at),
    text: minuteText(at),
  }));
}
