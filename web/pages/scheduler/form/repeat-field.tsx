/** How a Schedule repeats: the rule, and for a series how often and until when. */
import { Field, TextField } from '../../../ui/field.tsx';
import { useForm, type FieldView } from '../../../ui/form/form-context.ts';
import type { ScheduleRow } from '../data/occurrences.ts';
import { WallField } from './wall-field.tsx';
import { words } from '../words.ts';

const RULES = ['none', 'daily', 'weekly', 'workdays', 'weekend'] as const;
type Recurrence = ScheduleRow['recurrence'];

export function RepeatField(view: FieldView) {
  const { draft } = useForm();
  const w = words.value;
  const value = view.value as Partial<Recurrence>;
  const errors = draft.errors.value;
  const type = value.type ?? 'none';
  return (
    <>
      <Field label={w.fields.repeat} error={errors['recurrence.type'] ?? view.error}>
        {(control) => (
          <select
            {...control}
            value={type}
            onChange={({ currentTarget }) => draft.set('recurrence.type', currentTarget.value)}
          >
            {RULES.map((rule) => (
              <option key={rule} value={rule}>
                {w.repeats[rule]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {type !== 'none' && (
        <>
          <TextField
            label={w.fields.interval}
            description={w.intervalHelp}
            inputMode="numeric"
            value={String(value.interval ?? 1)}
            error={errors['recurrence.interval']}
            onValue={(typed) => draft.set('recurrence.interval', typed)}
          />
          <WallField
            {...view}
            label={w.fields.until}
            isOptional
            value={value.until}
            error={errors['recurrence.until']}
            onValue={(next) => draft.set('recurrence.until', next)}
          />
        </>
      )}
    </>
  );
}
