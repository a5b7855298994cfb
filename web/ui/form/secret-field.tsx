/** A secret is never shown: it is set or not, and can be replaced. */
import { useSignal } from '@preact/signals';
import { formWords } from '../../i18n/form-words.ts';
import { Button } from '../button.tsx';
import { TextField } from '../field.tsx';
import type { Values } from './field.ts';
import { useForm, type FieldView } from './form-context.ts';
import { valueAt } from './values.ts';

/** The row says `has_password` in place of the password, or has it masked; an object of secrets is set as a whole. */
function isStored(row: Values | undefined, path: string): boolean {
  if (row === undefined) return false;
  const parts = path.split('.');
  const name = parts.pop() ?? '';
  const around = parts.length === 0 ? row : (valueAt(row, parts.join('.')) as Values | undefined);
  const isWholeSet = parts.length > 0 && row[`has_${parts[0]}`] === true;
  return around?.[`has_${name}`] === true || Boolean(around?.[name]) || isWholeSet;
}

export function SecretField({ field, path, label, description, error, isOptional, value, onValue }: FieldView) {
  const { draft } = useForm();
  const isReplaced = useSignal(false);
  const w = formWords.value;
  if (!isStored(draft.row, path) || isReplaced.value)
    return (
      <TextField
        label={label}
        description={description}
        error={error}
        onValue={onValue}
        type="secret"
        autocomplete="off"
        isOptional={isOptional || draft.row !== undefined}
        value={typeof value === 'string' ? value : ''}
      />
    );
  return (
    <div class="field" role="group" aria-label={label}>
      <div class="field-head">
        <span>{label}</span>
      </div>
      <div class="acts">
        <span>{value === null ? w.isRemoved : w.isSet}</span>
        <Button label={w.replaceOf(label)} onPress={() => (isReplaced.value = true)}>
          {w.replace}
        </Button>
        {field.nullable && (
          <Button label={w.removeOf(label)} onPress={() => onValue(value === null ? '' : null)}>
            {value === null ? w.keep : w.remove}
          </Button>
        )}
      </div>
      {error !== undefined && <p class="field-error">{error}</p>}
      {description !== undefined && <p class="field-text">{description}</p>}
    </div>
  );
}
