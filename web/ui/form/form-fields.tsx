/** The fields of a form in their order: name and type first, those of the chosen type alone, the rare ones folded. */
import { formWords } from '../../i18n/form-words.ts';
import type { Field } from './field.ts';
import { FormContext, layoutPath, useForm, type FormLook, type GroupProps } from './form-context.ts';
import { OneField } from './one-field.tsx';
import { isVisible } from './values.ts';

const FIRST = ['name', 'username', 'client', 'type', 'protocol', 'provider_type'];

export function FormFields(look: FormLook) {
  return (
    <FormContext.Provider value={{ ...look, OneField, FieldGroup }}>
      <FieldGroup fields={look.draft.fields} prefix="" root={look.draft.values.value} />
    </FormContext.Provider>
  );
}

function FieldGroup({ fields, prefix, root }: GroupProps) {
  const { layout, draft } = useForm();
  const place = (field: Field): string => layoutPath(`${prefix}${field.name}`);
  const order = [...(prefix === '' ? FIRST : []), ...(layout.order ?? [])];
  const rank = (field: Field): number => (order.indexOf(place(field)) + order.length + 1) % (order.length + 1);
  const shown = fields
    .filter((field) => isVisible(field, root) && layout.hidden?.includes(place(field)) !== true)
    .sort((one, other) => rank(one) - rank(other));
  const isFolded = (field: Field): boolean => layout.advanced?.includes(place(field)) === true;
  const folded = shown.filter(isFolded);
  const isWrong = folded.some(({ name }) =>
    Object.keys(draft.errors.value).some((path) => `${path}.`.startsWith(`${prefix}${name}.`)),
  );
  const view = (field: Field) => (
    <OneField key={field.name} field={field} path={`${prefix}${field.name}`} root={root} />
  );
  return (
    <>
      {shown.filter((field) => !isFolded(field)).map(view)}
      {folded.length > 0 && (
        <details class="form-more" open={isWrong || undefined}>
          <summary>{formWords.value.more}</summary>
          {folded.map(view)}
        </details>
      )}
    </>
  );
}
