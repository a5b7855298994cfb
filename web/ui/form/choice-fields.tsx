/** Yes or no, one of few, an instant. */
import { useId } from 'preact/hooks';
import { formWords } from '../../i18n/form-words.ts';
import { instantsOf, wallTimeOf } from '../../zone.ts';
import { Field as Labelled, TextField } from '../field.tsx';
import { RadioGroup } from '../radio-group.tsx';
import { choiceText, layoutPath, useForm, type FieldView } from './form-context.ts';

export function CheckField({ label, description, error, value, onValue }: FieldView) {
  const id = useId();
  const described = [error !== undefined && `${id}-error`, description !== undefined && `${id}-text`];
  return (
    <div class={`field field-check${error === undefined ? '' : ' field-wrong'}`}>
      <input
        id={id}
        type="checkbox"
        checked={value === true}
        aria-describedby={described.filter((each) => each !== false).join(' ') || undefined}
        aria-invalid={error === undefined ? undefined : true}
        onChange={({ currentTarget }) => onValue(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {error !== undefined && (
        <p id={`${id}-error`} class="field-error">
          {error}
        </p>
      )}
      {description !== undefined && (
        <p id={`${id}-text`} class="field-text">
          {description}
        </p>
      )}
    </div>
  );
}

export function ChoiceField({ field, path, label, description, error, isOptional, value, onValue }: FieldView) {
  const { layout } = useForm();
  const place = layoutPath(path);
  const w = formWords.value;
  const { choices = [], nullable, initial } = field;
  const text = (choice: unknown): string => {
    const own = choiceText(layout, place, choice);
    return own ?? (choice === true ? w.yes : choice === false ? w.no : String(choice));
  };
  // A stored value that new rows may not have is still shown.
  const isStrange = value !== '' && value !== null && value !== undefined && !choices.includes(value as string);
  const all = isStrange ? [value as string, ...choices] : choices;
  if (layout.radios?.includes(place) === true)
    return (
      <RadioGroup
        label={label}
        isLabelShown
        look="list"
        options={all.map((choice) => ({ value: String(choice), label: text(choice) }))}
        value={String(value)}
        onValue={(chosen) => onValue(all.find((choice) => String(choice) === chosen))}
      />
    );
  const groups = layout.groups?.[place] ?? [];
  const option = (choice: string | number | boolean) => (
    <option key={String(choice)} value={String(choice)}>
      {text(choice)}
    </option>
  );
  const isEmptyOffered = nullable || initial === undefined;
  return (
    <Labelled label={label} description={description} error={error} isOptional={isOptional}>
      {(control) => (
        <select
          {...control}
          value={value === null || value === undefined ? '' : String(value)}
          onChange={({ currentTarget }) => onValue(all.find((choice) => String(choice) === currentTarget.value) ?? '')}
        >
          {isEmptyOffered && <option value="">{isOptional ? w.none : w.choose}</option>}
          {all.filter((choice) => !groups.some(({ choices: members }) => members.includes(choice))).map(option)}
          {groups.map((group) => (
            <optgroup key={group.label} label={group.label}>
              {all.filter((choice) => group.choices.includes(choice)).map(option)}
            </optgroup>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** An instant is typed as the clock of the shown zone has it; a time that the zone skips is told at the field. */
export function InstantField({ label, description, error, isOptional, value, onValue }: FieldView) {
  const { zone } = useForm();
  const w = formWords.value;
  const instant = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  const two = (number: number): string => String(number).padStart(2, '0');
  const shown = (): string => {
    if (Number.isNaN(instant)) return typeof value === 'string' ? value : '';
    const { year, month, day, hour, minute } = wallTimeOf(instant, zone);
    return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}`;
  };
  const take = (text: string): void => {
    const [year, month, day, hour, minute] = text.split(/\D/u).map(Number);
    if (minute === undefined) {
      onValue('');
      return;
    }
    const time = { year: year!, month: month!, day: day!, hour: hour!, minute, second: 0 };
    const [found] = instantsOf(time, zone);
    onValue(found === undefined ? text : new Date(found).toISOString());
  };
  const isSkipped = typeof value === 'string' && /T\d\d:\d\d$/u.test(value);
  return (
    <TextField
      label={label}
      isOptional={isOptional}
      type="datetime-local"
      value={shown()}
      onValue={take}
      description={[zone, description].filter(Boolean).join(' · ')}
      error={isSkipped ? w.skippedTime(zone) : error}
    />
  );
}
