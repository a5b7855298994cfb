/** The operations that a token is limited to, chosen by name; none chosen: it may call all. */
import { formWords } from '../../i18n/form-words.ts';
import { OPERATIONS, type OperationId } from '../../../client/request.ts';
import { Button } from '../../ui/button.tsx';
import { Combobox, type Option } from '../../ui/combobox/combobox.tsx';
import { useForm, type FieldView } from '../../ui/form/form-context.ts';
import { words } from './words.ts';

/** A workflow comes with the operations that it performs, so that its own name says nothing more. */
const NAMES = (Object.keys(OPERATIONS) as OperationId[]).filter(
  (name) => OPERATIONS[name].role > 0 && !OPERATIONS[name].path.includes('/workflows/'),
);

export function OperationsField({ path, label, description, error, value, onValue }: FieldView) {
  const { draft } = useForm();
  const chosen = (value ?? []) as readonly string[];
  const ask = (typed: string): Option<string>[] =>
    NAMES.filter((name) => !chosen.includes(name) && name.toLowerCase().includes(typed.trim().toLowerCase())).map(
      (name) => ({ value: name, label: name, details: OPERATIONS[name].effect ?? '' }),
    );
  return (
    <fieldset class="form-group members">
      <legend>{label}</legend>
      {description !== undefined && <p class="field-text">{description}</p>}
      {error !== undefined && <p class="field-error">{error}</p>}
      <ol aria-label={label}>
        {chosen.map((name, index) => (
          <li key={name} class="member" data-path={`${path}.${index}`}>
            <span class="member-name">{name}</span>
            <span class="acts">
              <Button
                kind="quiet"
                label={formWords.value.removeOf(name)}
                icon="x"
                onPress={() => onValue(chosen.filter((each) => each !== name))}
              >
                {''}
              </Button>
            </span>
            {draft.errors.value[`${path}.${index}`] !== undefined && (
              <p class="field-error">{draft.errors.value[`${path}.${index}`]}</p>
            )}
          </li>
        ))}
      </ol>
      <Combobox<string>
        label={words.value.addOperation}
        text=""
        ask={ask}
        onChoose={(option) => onValue([...chosen, option.value])}
      />
    </fieldset>
  );
}
