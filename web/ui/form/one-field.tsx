/** One field by its type. */
import { fieldHelp } from '../../i18n/field-help.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { Field as Labelled, TextField } from '../field.tsx';
import { CheckField, ChoiceField, InstantField } from './choice-fields.tsx';
import type { Field } from './field.ts';
import { layoutPath, useForm, type FieldProps, type FieldView } from './form-context.ts';
import { ListField } from './list-field.tsx';
import { ObjectField } from './object-field.tsx';
import { PickerField } from './picker-field.tsx';
import { SecretField } from './secret-field.tsx';
import { isRequired, valueAt } from './values.ts';

export function OneField({ field, path, root, label }: FieldProps) {
  const { draft, layout } = useForm();
  const place = layoutPath(path);
  const view: FieldView = {
    field,
    path,
    label: label ?? layout.labels?.[place] ?? fieldLabel(place),
    description: helpOf(field),
    error: draft.errors.value[path],
    // What is stored may be emptied only where null is a value.
    isOptional: draft.row === undefined ? !isRequired(field, root) : field.nullable,
    value: valueAt(draft.values.value, path),
    onValue: (value) => draft.set(path, value),
    root,
  };
  return (
    <div class="form-field" data-path={path}>
      <Control {...view} />
    </div>
  );
}

function Control(view: FieldView) {
  const { pickerFor, layout } = useForm();
  const { field, path } = view;
  const Own = layout.controls?.[layoutPath(path)];
  if (Own !== undefined) return <Own {...view} />;
  if (field.secret === true) return <SecretField {...view} />;
  if (field.type === 'object') return <ObjectField {...view} />;
  if (field.type === 'list') return <ListField {...view} />;
  if (field.type === 'boolean') return <CheckField {...view} />;
  if (field.type === 'choice') return <ChoiceField {...view} />;
  if (field.type === 'instant') return <InstantField {...view} />;
  const picker = pickerFor(layoutPath(path));
  return picker === undefined ? <PlainField {...view} /> : <PickerField {...view} picker={picker} />;
}

function PlainField(view: FieldView) {
  const { layout } = useForm();
  const { field, path, label, description, error, isOptional, value, onValue } = view;
  const text = value === null || value === undefined ? '' : String(value);
  if (field.type === 'json' || layout.lines?.includes(layoutPath(path)) === true)
    return (
      <Labelled label={label} description={description} error={error} isOptional={isOptional}>
        {(control) => (
          <textarea
            {...control}
            class={field.type === 'json' ? 'mono' : undefined}
            rows={4}
            value={text}
            onInput={({ currentTarget }) => onValue(currentTarget.value)}
          />
        )}
      </Labelled>
    );
  const isNumber = field.type === 'integer' || field.type === 'number';
  return (
    <TextField
      label={label}
      description={description}
      error={error}
      isOptional={isOptional}
      onValue={onValue}
      value={text}
      autocomplete="off"
      {...(isNumber && { inputMode: field.type === 'integer' ? 'numeric' : 'decimal' })}
    />
  );
}

/** Words, and the bounds where these do not tell them. */
function helpOf({ help: server, minimum, maximum, type }: Field): string | undefined {
  const help = fieldHelp(server);
  const isBounded = (type === 'integer' || type === 'number') && minimum !== undefined && maximum !== undefined;
  const bounds = isBounded && !help.includes(String(maximum)) ? `${minimum}–${maximum}` : '';
  return [help, bounds].filter((text) => text !== '').join(' ') || undefined;
}
