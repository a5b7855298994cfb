/** Commands that are planned for the Live stream during the occurrence. */
import { useList } from '../../../api/reads.ts';
import { Time } from '../../../ui/show/time.tsx';
import type { OccurrenceRow, ScheduleRow } from '../data/occurrences.ts';

export function PlannedActions({
  schedule,
  occurrence,
}: {
  schedule: ScheduleRow;
  occurrence: OccurrenceRow | undefined;
}) {
  const { start, end } = occurrence ?? schedule;
  const list = useList('getAllPlannedActions', {
    params: { livestreamId: schedule.livestreamId, from: start, to: end, status: 'pending' },
  });
  if (list.rows.length === 0) return null;
  return (
    <ul class="occurrence-actions">
      {list.rows.map(({ id, type, execute_at }) => (
        <li key={id}>
          ◆ <Time at={execute_at} show="time" /> {type}
        </li>
      ))}
    </ul>
  );
}
