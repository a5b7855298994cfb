/** "New Schedule" and "Edit <Schedule>". */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useOne } from '../../../api/reads.ts';
import { FormDialog } from '../../../resource/form-dialog.tsx';
import type { First } from '../../../resource/open-form.ts';
import { pickerFor } from '../../../resource/pickers.ts';
import { stationZone } from '../../../shown-zone.ts';
import { TextField } from '../../../ui/field.tsx';
import type { Draft } from '../../../ui/form/draft.ts';
import type { FieldView, FormLayout } from '../../../ui/form/form-context.ts';
import { FormFields } from '../../../ui/form/form-fields.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import type { ScheduleRow } from '../data/occurrences.ts';
import { movedText } from './moved-text.ts';
import { RepeatField } from './repeat-field.tsx';
import { inZone, isZone } from './wall.ts';
import { WallField } from './wall-field.tsx';
import { words } from '../words.ts';

interface DialogProps {
  onSaved: (row: ScheduleRow) => void;
  onClose: () => void;
}

/** A single occurrence has neither an interval nor an end of its series. */
function bodyFrom(body: Record<string, unknown>): Record<string, unknown> {
  const recurrence = body['recurrence'] as Partial<ScheduleRow['recurrence']> | undefined;
  if (recurrence?.type !== 'none') return body;
  return { ...body, recurrence: { type: 'none' } };
}

export function NewSchedule({
  seed,
  ...props
}: DialogProps & { seed: Partial<ScheduleRow>; first?: (() => Promise<First>) | undefined }) {
  const title = words.value.add;
  return (
    <FormDialog
      title={title}
      operation="addSchedule"
      seed={{ enabled: true, timezone: stationZone.peek(), ...seed } as Record<string, unknown>}
      bodyFrom={bodyFrom}
      view={(draft) => <ScheduleFields draft={draft} />}
      {...props}
      onSaved={(data) => props.onSaved(data as ScheduleRow)}
    />
  );
}

interface EditProps extends DialogProps {
  scheduleId: number;
  times?: { start: string; end: string } | undefined;
}

export function EditSchedule({ scheduleId, times, onSaved, onClose }: EditProps) {
  const { data, etag, error } = useOne('getScheduleById', { scheduleId });
  if (error !== null && data === undefined) return <ProblemAlert problem={error} />;
  if (data === undefined) return null;
  return (
    <FormDialog
      title={words.value.editOf(data.name)}
      name={data.name}
      operation="updateSchedule"
      params={{ scheduleId }}
      row={data}
      etag={etag}
      bodyFrom={bodyFrom}
      view={(draft) => <ScheduleFields draft={draft} times={times} />}
      onSaved={(saved) => onSaved(saved as ScheduleRow)}
      onClose={onClose}
    >
      {times !== undefined && <p role="status">{movedText(data, times)}</p>}
    </FormDialog>
  );
}

function layoutOf(draft: Draft, zone: string, takeZone: (zone: string) => void): FormLayout {
  const w = words.value;
  const ZoneField = (view: FieldView) => (
    <TextField
      label={view.label}
      description={w.zoneHelp}
      error={isZone(String(view.value || zone)) ? view.error : w.noZone}
      value={String(view.value ?? '')}
      onValue={(typed) => {
        draft.set('timezone', typed);
        if (isZone(typed)) takeZone(typed);
      }}
      autocomplete="off"
    />
  );
  return {
    order: ['livestreamId', 'start', 'end', 'timezone', 'recurrence', 'enabled'],
    advanced: ['description', 'idEncoderGroup'],
    labels: {
      livestreamId: w.fields.livestreamId,
      start: w.fields.start,
      end: w.fields.end,
      timezone: w.fields.timezone,
      enabled: w.fields.enabled,
      idEncoderGroup: w.fields.place,
    },
    controls: { start: WallField, end: WallField, timezone: ZoneField, recurrence: RepeatField },
  };
}

function ScheduleFields({ draft, times }: { draft: Draft; times?: { start: string; end: string } | undefined }) {
  const zone = useSignal(String(draft.values.peek()['timezone'] || stationZone.peek()));
  useMemo(() => {
    // What was dragged is not yet saved: the form is open with it.
    if (times === undefined) return;
    draft.set('start', times.start);
    draft.set('end', times.end);
  }, [draft]);
  const takeZone = (next: string): void => {
    const { start, end } = draft.values.peek();
    const before = zone.peek();
    zone.value = next;
    if (typeof start === 'string') draft.set('start', inZone(start, before, next));
    if (typeof end === 'string') draft.set('end', inZone(end, before, next));
  };
  const layout = useMemo(() => layoutOf(draft, zone.peek(), takeZone), [draft]);
  const pickers = useMemo(() => pickerFor({}), []);
  return <FormFields draft={draft} layout={layout} zone={zone.value} pickerFor={pickers} />;
}
