/** Below the time line: occurrences at once against slots, for each Device and group that is wanted. */
import { useAll } from '../../../api/all.ts';
import { devices } from '../../../live/streams.ts';
import { shownZone } from '../../../shown-zone.ts';
import { clockText } from '../../../zone.ts';
import type { Plan } from '../data/occurrences.ts';
import { words } from '../words.ts';
import { placesOf, type Over, type Place } from './capacity.ts';
import { dayText } from './rows.ts';

interface Shown {
  fromMs: number;
  toMs: number;
}

const HEIGHT = 28;

/** The Devices and groups that are wanted in the shown time. */
export function usePlaces(plan: Plan, { fromMs, toMs }: Shown): Place[] {
  const groups = useAll('getAllDeviceGroups', undefined, 'name');
  const wanted = plan.occurrences
    .filter(({ state, startMs, endMs }) => /planned|on_air/u.test(state) && startMs < toMs && endMs > fromMs)
    .map(({ key, startMs, endMs, livestreamId, scheduleId }) => ({
      key,
      startMs: Math.max(startMs, fromMs),
      endMs: Math.min(endMs, toMs),
      livestreamId,
      idEncoderGroup: plan.schedules.get(scheduleId)?.idEncoderGroup ?? null,
    }));
  const slots = new Map(
    [...devices.value].map(
      ([
        id,
        {
          name,
          slots: { total },
        },
      ]) => [id, { name, total }],
    ),
  );
  const rows = groups.rows as readonly { id: number; name: string; devices: number[] }[];
  const bound = new Map(plan.streams.map((stream) => [stream.id, stream]));
  return placesOf(wanted, bound, { slots, groups: rows });
}

export function CapacityRows({ places, fromMs, toMs }: Shown & { places: readonly Place[] }) {
  return (
    <>
      {places.map((place) => (
        <CapacityRow key={place.key} place={place} fromMs={fromMs} toMs={toMs} />
      ))}
    </>
  );
}

function CapacityRow({ place, fromMs, toMs }: { place: Place; fromMs: number; toMs: number }) {
  const w = words.value;
  const { slots, counts, peak, over } = place;
  const name = place.name ?? w.allDevices;
  const most = Math.max(peak, slots, 1);
  const share = (at: number): number => (at - fromMs) / (toMs - fromMs);
  const percent = (part: number): string => `${(part * 100).toFixed(2)}%`;
  const isOver = over.length > 0;
  return (
    <div class="timeline-row timeline-capacity" role="group" aria-label={w.capacityOf(name, peak, slots)}>
      <span class={isOver ? 'timeline-label warn' : 'timeline-label'} title={w.capacityOf(name, peak, slots)}>
        {isOver && '▲ '}
        {name} <span class="soft">{w.capacity(peak, slots)}</span>
      </span>
      <div class="timeline-track">
        {isOver && (
          <div class="capacity-warnings">
            {over.map((each, index) => (
              <Warning
                key={each.startMs}
                text={w.tooManyWant(each.count, name, slots)}
                over={each}
                left={share(each.startMs)}
                right={share(over[index + 1]?.startMs ?? toMs)}
              />
            ))}
          </div>
        )}
        <svg width="100%" height={HEIGHT} aria-hidden="true">
          {counts.map(({ atMs, count }, index) => {
            const height = (count / most) * (HEIGHT - 2);
            return (
              <rect
                key={atMs}
                class={count > slots ? 'capacity-over' : undefined}
                x={percent(share(atMs))}
                width={percent(share(counts[index + 1]?.atMs ?? atMs) - share(atMs))}
                y={HEIGHT - height}
                height={height}
              />
            );
          })}
          <line
            x1="0"
            x2="100%"
            y1={HEIGHT - (slots / most) * (HEIGHT - 2)}
            y2={HEIGHT - (slots / most) * (HEIGHT - 2)}
          />
        </svg>
      </div>
    </div>
  );
}

/** Words that would leave the row at its end stand before the time. */
const LAST_SHARE = 0.75;

interface WarningProps {
  text: string;
  over: Over;
  left: number;
  /** Where the next one begins. */
  right: number;
}

function Warning({ text, over: { startMs, endMs }, left, right }: WarningProps) {
  const zone = shownZone.value;
  const time = (at: number): string => clockText(at, zone).slice(0, 5);
  const when = `${dayText(startMs, zone)} ${time(startMs)}–${time(endMs)}`;
  const put = (element: HTMLElement | null): void => {
    const isLast = left > LAST_SHARE && right === 1;
    element?.style.setProperty(isLast ? 'right' : 'left', `${(isLast ? 1 - right : left) * 100}%`);
    if (!isLast) element?.style.setProperty('max-width', `${(right - left) * 100}%`);
  };
  return (
    <span class="warn" ref={put} title={`${text}, ${when}`}>
      ▲ {text}
      <span class="hidden">, {when}</span>
    </span>
  );
}
