/** Fields that belong together; those that may be absent as a whole have a checkbox in their legend. */
import { useId } from 'preact/hooks';
import { fieldsIn } from './field.ts';
import { useForm, type FieldView } from './form-context.ts';
import { initialValues, isVisible } from './values.ts';

export function ObjectField({ field, path, label, description, error, value, onValue, root }: FieldView) {
  const id = useId();
  const { FieldGroup } = useForm();
  const fields = fieldsIn(field);
  if (!fields.some((inner) => isVisible(inner, root))) return null;
  const isSet = value !== null && value !== undefined;
  return (
    <fieldset class="form-group" aria-describedby={description === undefined ? undefined : `${id}-text`}>
      <legend>
        {field.nullable ? (
          <label>
            <input
              type="checkbox"
              checked={isSet}
              onChange={({ currentTarget }) => onValue(currentTarget.checked ? initialValues(fields) : null)}
            />{' '}
            {label}
          </label>
        ) : (
          label
        )}
      </legend>
      {description !== undefined && (
        <p id={`${id}-text`} class="field-text">
          {description}
        </p>
      )}
      {error !== undefined && <p class="field-error">{error}</p>}
      {isSet && <FieldGroup fields={fields} prefix={`${path}.`} root={root} />}
    </fieldset>
  );
}
