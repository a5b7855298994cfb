/** Quality, recording and time; closed until somebody wants more than the usual. */
import type { Signal } from '@preact/signals';
import type { RowOf } from '../api/operation-types.ts';
import { Field, TextField } from '../ui/field.tsx';
import type { Options } from './options.ts';
import { words } from './words.ts';

type Preset = RowOf<'listPresets'>;

interface OptionsProps {
  options: Options;
  ladders: readonly Preset[];
  errorOf: (field: string) => string | undefined;
}

export function OptionsFields({ options, ladders, errorOf }: OptionsProps) {
  const w = words.value;
  return (
    <details class="wizard-more">
      <summary>{w.more}</summary>
      <ChoiceField label={w.quality} value={options.quality} usual={w.usual} rows={ladders} />
      <CheckField label={w.record} value={options.record} />
      <Time label={w.begins} value={options.begins} error={errorOf('start_at')} description={w.timeHelp} />
      {options.begins.value !== '' && <Time label={w.ends} value={options.ends} error={errorOf('end_at')} />}
      {options.begins.value !== '' && (
        <ChoiceField
          label={w.repeats}
          value={options.recurrence}
          rows={Object.entries(w.repeatings).map(([id, name]) => ({ id, name }))}
        />
      )}
      {options.begins.value === '' && <CheckField label={w.startNow} value={options.start} />}
    </details>
  );
}

interface TimeProps {
  label: string;
  value: Signal<string>;
  error: string | undefined;
  description?: string;
}

function Time({ label, value, ...rest }: TimeProps) {
  return (
    <TextField
      label={label}
      type="datetime-local"
      value={value.value}
      onValue={(text) => (value.value = text)}
      {...rest}
    />
  );
}

interface ChoiceProps {
  label: string;
  value: Signal<string>;
  /** Words of the empty choice; left out: there is none. */
  usual?: string;
  rows: readonly Pick<Preset, 'id' | 'name'>[];
  description?: string;
}

export function ChoiceField({ label, value, usual, rows, description }: ChoiceProps) {
  return (
    <Field label={label} description={description}>
      {(control) => (
        <select {...control} value={value.value} onChange={({ currentTarget }) => (value.value = currentTarget.value)}>
          {usual !== undefined && <option value="">{usual}</option>}
          {rows.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function CheckField({ label, value }: { label: string; value: Signal<boolean> }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value.value}
        onChange={({ currentTarget }) => (value.value = currentTarget.checked)}
      />
      {label}
    </label>
  );
}
