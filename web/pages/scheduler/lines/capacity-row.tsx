/** How many occurrences are on at once, against the slots of all Devices. */
import { devices } from '../../../live/streams.ts';
import { countsOver } from '../../../ui/timeline/layers.ts';
import type { OccurrenceRow } from '../data/occurrences.ts';
import { words } from '../words.ts';

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;

export function CapacityRow({ rows, fromMs, toMs }: { rows: readonly OccurrenceRow[]; fromMs: number; toMs: number }) {
  const w = words.value;
  const spans = rows
    .filter(({ state, startMs, endMs }) => /planned|on_air/u.test(state) && startMs < toMs && endMs > fromMs)
    .map(({ startMs, endMs }) => ({ startMs: Math.max(startMs, fromMs), endMs: Math.min(endMs, toMs) }));
  if (spans.length === 0) return null;
  const slots = [...devices.value.values()].reduce((sum, device) => sum + device.slots.total, 0);
  const counts = countsOver(spans);
  const most = Math.max(...counts.map(({ count }) => count), slots);
  const peak = Math.max(...counts.map(({ count }) => count));
  const isOver = slots > 0 && peak > slots;
  const text = slots > 0 ? `${peak} / ${slots}` : String(peak);
  return (
    <div class="timeline-row timeline-capacity" role="group" aria-label={w.capacity}>
      <span class={isOver ? 'timeline-label warn' : 'timeline-label'}>
        {isOver && '▲ '}
        {w.capacity} {text}
      </span>
      <svg width="100%" height="28" aria-hidden="true">
        {counts.map(({ atMs, count }, index) => {
          const end = counts[index + 1]?.atMs ?? toMs;
          const height = (count / most) * 26;
          return (
            <rect
              key={atMs}
              class={slots > 0 && count > slots ? 'capacity-over' : undefined}
              x={percent((atMs - fromMs) / (toMs - fromMs))}
              width={percent((end - atMs) / (toMs - fromMs))}
              y={28 - height}
              height={height}
            />
          );
        })}
      </svg>
    </div>
  );
}
