/** Tells what a stop ends: the page knows the Destinations and the Recording, the server what becomes of the Schedule. */
import { call, dataIn } from '../api/call.ts';
import type { DataOf } from '../api/operation-types.ts';
import { useQuery } from '../api/query.ts';
import type { LivestreamStatus } from '../live/status.ts';
import { Time } from '../ui/show/time.tsx';
import { stopEffect } from './stop-effect.ts';
import { words } from './words.ts';

type Stopped = DataOf<'stop_livestream'>;

interface EffectProps {
  id: number;
  status: LivestreamStatus | undefined;
}

export function StopEffectText({ id, status }: EffectProps) {
  const plan = useQuery(['schedules', 'stop_livestream', id], async (signal) => {
    const { body } = await call('stop_livestream', { body: { livestream: `#${id}`, dry_run: true }, signal });
    return dataIn(body) as Stopped;
  });
  const w = words.value;
  if (status === undefined) return null;
  const effect = stopEffect(status);
  return (
    <>
      {effect.status === 1 && `${w.starting} `}
      {effect.status === 3 && `${w.failed} `}
      {effect.status === 2 && `${w.onAir(effect.destinations)} `}
      {effect.endsRecording && `${w.recording} `}
      {plan.data === undefined ? (
        status.scheduleId !== null && w.scheduled
      ) : (
        <ScheduleText schedule={plan.data.schedule} />
      )}
    </>
  );
}

function ScheduleText({ schedule }: Pick<Stopped, 'schedule'>) {
  const w = words.value;
  if (schedule === null) return null;
  return (
    <>
      {schedule.cancelled ? w.once(schedule.name) : w.occurrence(schedule.name)}{' '}
      {schedule.next_start !== null && (
        <>
          {w.nextStart} <Time at={schedule.next_start} />.
        </>
      )}
    </>
  );
}
