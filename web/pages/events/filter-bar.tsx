/** The fields by which events are filtered. */
import { instantOf } from '../../local-time.ts';
import { shownZone } from '../../shown-zone.ts';
import { Field, TextField } from '../../ui/field.tsx';
import type { Filter } from './filter.ts';
import { KINDS } from './pairs.ts';
import { words } from './words.ts';

interface FilterBarProps {
  filter: Filter;
  streams: readonly { id: number; name: string }[];
  onFilter: (filter: Filter) => void;
}

export function FilterBar({ filter, streams, onFilter }: FilterBarProps) {
  const w = words.value;
  const zone = shownZone.value;
  const set = (part: Partial<Filter>): void => onFilter({ ...filter, ...part });
  return (
    <div class="audit-filter" role="search" aria-label={w.title}>
      <Choice
        label={w.stream}
        value={filter.livestreamId === undefined ? '' : String(filter.livestreamId)}
        options={streams.map(({ id, name }) => [String(id), name])}
        onValue={(value) => set({ livestreamId: value === '' ? undefined : Number(value) })}
      />
      <Choice
        label={w.kind}
        value={filter.kind}
        options={KINDS.map((kind) => [kind, w.kinds[kind]])}
        onValue={(kind) => set({ kind })}
      />
      <Choice
        label={w.severity}
        value={filter.severity}
        options={(['warning', 'error'] as const).map((severity) => [severity, w.severities[severity]])}
        onValue={(severity) => set({ severity })}
      />
      <Choice
        label={w.state}
        value={filter.state}
        options={(['open', 'closed'] as const).map((state) => [state, w.states[state]])}
        onValue={(state) => set({ state })}
      />
      {(['from', 'to'] as const).map((end) => (
        <TextField
          key={end}
          type="datetime-local"
          label={w[end]}
          description={w.zone(zone)}
          error={filter[end] !== '' && instantOf(filter[end], zone) === undefined ? w.noTime : undefined}
          value={filter[end]}
          onValue={(time) => set({ [end]: time })}
        />
      ))}
    </div>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T | '';
  options: readonly (readonly [value: T, text: string])[];
  onValue: (value: T | '') => void;
}

function Choice<T extends string>({ label, value, options, onValue }: ChoiceProps<T>) {
  return (
    <Field label={label}>
      {(control) => (
        <select {...control} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value as T | '')}>
          <option value="">{words.value.all}</option>
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
