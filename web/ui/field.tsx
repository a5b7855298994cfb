/** A labelled field with its description and its error. */
import type { ComponentChildren, RefObject } from 'preact';
import { useId } from 'preact/hooks';
import { words } from '../i18n/words.ts';

interface FieldProps {
  label: string;
  description?: ComponentChildren;
  /** The server's words about this field. */
  error?: string | undefined;
  isOptional?: boolean;
  /** The control takes these, so that it is named and described. */
  children: (control: FieldControl) => ComponentChildren;
}

interface FieldControl {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

export function Field({ label, description, error, isOptional, children }: FieldProps) {
  const id = useId();
  const described = [error !== undefined && `${id}-error`, description !== undefined && `${id}-text`]
    .filter((each) => each !== false)
    .join(' ');
  return (
    <div class={`field${error === undefined ? '' : ' field-wrong'}`}>
      <div class="field-head">
        <label for={id}>{label}</label>
        {isOptional === true && <span class="soft">{words.value.ui.optional}</span>}
      </div>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
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

interface TextFieldProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
  description?: ComponentChildren;
  error?: string | undefined;
  /** A secret is hidden while it is typed, and is nothing that a browser keeps as the password of the person. */
  type?: 'text' | 'password' | 'secret' | 'number' | 'url' | 'email' | 'datetime-local' | 'date' | 'search';
  name?: string;
  inputMode?: 'numeric' | 'decimal' | 'text' | 'url';
  autocomplete?: string;
  required?: boolean;
  isOptional?: boolean;
  inputRef?: RefObject<HTMLInputElement | null>;
}

export function TextField({
  label,
  value,
  onValue,
  description,
  error,
  isOptional,
  inputRef,
  type = 'text',
  ...rest
}: TextFieldProps) {
  return (
    <Field label={label} description={description} error={error} isOptional={isOptional ?? false}>
      {(control) => (
        <input
          {...control}
          {...rest}
          ref={inputRef}
          {...(type === 'secret' ? { type: 'text', class: 'secret', spellcheck: false } : { type: type as 'text' })}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Field>
  );
}
