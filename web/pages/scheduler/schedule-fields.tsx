/** The fields of a Schedule. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { stationZone } from '../../shown-zone.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { Field, TextField } from '../../ui/field.tsx';
import type { Draft } from '../../ui/form/draft.ts';
import { instantsIn, isZone, nextInstant, wallText } from './days.ts';
import { WallField } from './wall-field.tsx';
import { words } from './words.ts';

const REPEATS = ['none', 'daily', 'weekly', 'workdays', 'weekend'] as const;

export interface Times {
  /** Milliseconds since 1970. */
  start: number;
  end: number;
}

interface FieldsProps {
  draft: Draft;
  streams: ReadonlyMap<number, string>;
  /** New times of an edit, as they were dragged. */
  times: Times | undefined;
}

export function Fields({ draft, streams, times }: FieldsProps) {
  const w = words.value.fields;
  const values = draft.values.value;
  const errors = draft.errors.value;
  const text = (path: string): string => (typeof values[path] === 'string' ? values[path] : '');
  useEffect(() => {
    if (times === undefined) return;
    draft.set('start', new Date(times.start).toISOString());
    draft.set('end', new Date(times.end).toISOString());
  }, []);
  const stored = text('timezone') || stationZone.value;
  const typedZone = useSignal(stored);
  const takeZone = (zone: string): void => {
    typedZone.value = zone;
    if (!isZone(zone)) return;
    for (const path of ['start', 'end']) {
      if (text(path) === '') continue;
      // The wall clock stays, the instant moves.
      const wall = wallText(Date.parse(text(path)), stored);
      draft.set(path, new Date(instantsIn(wall, zone)?.[0] ?? nextInstant(wall, zone)).toISOString());
    }
    draft.set('timezone', zone);
  };
  const wrongZone = isZone(typedZone.value) ? errors['timezone'] : words.value.noZone;
  return (
    <>
      <TextField
        label={w.name}
        value={text('name')}
        error={errors['name']}
        onValue={(name) => draft.set('name', name)}
      />
      <StreamPicker {...{ draft, streams }} />
      {(['start', 'end'] as const).map((path) => (
        <WallField
          key={path}
          label={w[path]}
          path={path}
          value={text(path)}
          zone={stored}
          error={errors[path]}
          onValue={(iso) => draft.set(path, iso)}
        />
      ))}
      <TextField label={w.zone} value={typedZone.value} error={wrongZone} onValue={takeZone} />
      <Repeat draft={draft} />
      <label class="check">
        <input
          type="checkbox"
          checked={values['enabled'] !== false}
          onChange={({ currentTarget }) => draft.set('enabled', currentTarget.checked)}
        />
        {w.enabled}
      </label>
    </>
  );
}

function StreamPicker({ draft, streams }: Pick<FieldsProps, 'draft' | 'streams'>) {
  const chosen = draft.values.value['livestreamId'];
  const ask = (typed: string) =>
    [...streams]
      .filter(([, name]) => name.toLowerCase().includes(typed.trim().toLowerCase()))
      .sort(([, one], [, other]) => one.localeCompare(other, undefined, { numeric: true }))
      .slice(0, 50)
      .map(([value, label]) => ({ value, label }));
  return (
    <Combobox
      label={words.value.fields.stream}
      text={typeof chosen === 'number' ? (streams.get(chosen) ?? `#${chosen}`) : ''}
      ask={ask}
      error={draft.errors.value['livestreamId']}
      onChoose={({ value }) => draft.set('livestreamId', value)}
    />
  );
}

function Repeat({ draft }: { draft: Draft }) {
  const w = words.value;
  const recurrence = draft.values.value['recurrence'] as { type?: string } | undefined;
  return (
    <Field label={w.fields.repeat} error={draft.errors.value['recurrence.type']}>
      {(control) => (
        <select
          {...control}
          value={recurrence?.type ?? 'none'}
          onChange={({ currentTarget }) => draft.set('recurrence.type', currentTarget.value)}
        >
          {REPEATS.map((type) => (
            <option key={type} value={type}>
              {w.repeats[type]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
