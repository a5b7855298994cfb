/** Schedules that have nothing planned because they are paused. */
import { Button } from '../../../ui/button.tsx';
import type { ScheduleRow } from '../data/occurrences.ts';
import { chosen } from '../data/state.ts';
import { words } from '../words.ts';

export function PausedSchedules({ rows }: { rows: readonly ScheduleRow[] }) {
  const w = words.value;
  if (rows.length === 0) return null;
  return (
    <section class="paused-schedules" aria-label={w.paused}>
      <h2>{w.paused}</h2>
      <ul>
        {rows.map(({ id, name }) => (
          <li key={id}>
            <Button
              kind="quiet"
              icon="pause"
              label={w.pausedOne(name)}
              onPress={() => (chosen.value = { scheduleId: id })}
            >
              {name}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
