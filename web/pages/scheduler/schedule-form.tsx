/** The dialogs "New Schedule" and "Edit …": times are those of the Schedule's own zone. */
import { useOne } from '../../api/reads.ts';
import { FormDialog } from '../../resource/form-dialog.tsx';
import { stationZone } from '../../shown-zone.ts';
import type { Draft } from '../../ui/form/draft.ts';
import { notify } from '../../ui/registry/notices.ts';
import type { Schedule } from './data.ts';
import { Fields, type Times } from './schedule-fields.tsx';
import { words } from './words.ts';

interface ScheduleFormProps {
  streams: ReadonlyMap<number, string>;
  /** Left out: a new one. */
  schedule?: Schedule | undefined;
  etag?: string | undefined;
  times?: Times | undefined;
  livestreamId?: number | undefined;
  onClose: () => void;
}

export function ScheduleForm({ streams, schedule, etag, times, livestreamId, onClose }: ScheduleFormProps) {
  const w = words.value;
  const view = (draft: Draft) => <Fields {...{ draft, streams }} times={schedule === undefined ? undefined : times} />;
  const saved = ({ name }: { name?: string }): void => {
    notify(w.did.saved(name ?? ''));
    onClose();
  };
  if (schedule !== undefined)
    return (
      <FormDialog
        title={w.edit(schedule.name)}
        operation="updateSchedule"
        params={{ scheduleId: schedule.id }}
        row={schedule}
        name={schedule.name}
        {...{ etag, view, onClose }}
        onSaved={saved}
      />
    );
  const seed = {
    timezone: stationZone.value,
    ...(livestreamId !== undefined && { livestreamId }),
    ...(times && { start: new Date(times.start).toISOString(), end: new Date(times.end).toISOString() }),
  };
  return <FormDialog title={w.add} operation="addSchedule" {...{ seed, view, onClose }} onSaved={saved} />;
}

/** The form opens once the present version is there, so that nobody overwrites a later one. */
export function EditSchedule(props: Pick<ScheduleFormProps, 'streams' | 'times' | 'onClose'> & { scheduleId: number }) {
  const { scheduleId, ...rest } = props;
  const { data, etag } = useOne('getScheduleById', { scheduleId });
  if (data === undefined) return null;
  return <ScheduleForm {...rest} schedule={data as Schedule} etag={etag} />;
}
