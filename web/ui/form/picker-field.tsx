/** The id of another row, chosen by its name. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formWords } from '../../i18n/form-words.ts';
import { Combobox } from '../combobox/combobox.tsx';
import type { FieldView, Picker } from './form-context.ts';

export function PickerField(view: FieldView & { picker: Picker }) {
  const { label, description, error, isOptional, value, onValue, picker } = view;
  const name = useSignal('');
  const id = typeof value === 'number' || (typeof value === 'string' && value !== '') ? value : undefined;
  useEffect(() => {
    name.value = id === undefined ? '' : `${id}`;
    if (id === undefined) return undefined;
    let isCurrent = true;
    const show = (found: string | undefined): void => {
      if (isCurrent && found !== undefined) name.value = found;
    };
    picker.nameOf(id).then(show, () => undefined);
    return () => {
      isCurrent = false;
    };
  }, [id]);
  const none = { value: '', label: formWords.value.none };
  return (
    <Combobox<string | number>
      label={label}
      description={description}
      error={error}
      isOptional={isOptional}
      text={name.value}
      ask={async (typed) => {
        const found = await picker.ask(typed);
        return isOptional && typed === '' ? [none, ...found] : found;
      }}
      onChoose={(option) => {
        name.value = option.value === '' ? '' : option.label;
        onValue(option.value);
      }}
    />
  );
}
