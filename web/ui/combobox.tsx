/** A picker that is searched by typing (ARIA: combobox with a listbox). Options may be asked of the server; a new thing may be made in place. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { words } from '../i18n/words.ts';
import { Field } from './field.tsx';
import { useOptions, type Option } from './use-options.ts';

export type { Option };

interface ComboboxProps<T> {
  label: string;
  /** The present choice, shown while nothing is typed. */
  text: string;
  onChoose: (option: Option<T>) => void;
  /** Gives the options for what is typed (empty: all); a later answer of an earlier question is left out. */
  ask: (typed: string) => readonly Option<T>[] | Promise<readonly Option<T>[]>;
  /** Offers "New: …" as the last option. */
  onNew?: ((typed: string) => void) | undefined;
  description?: ComponentChildren;
  error?: string | undefined;
  isOptional?: boolean;
  /** Options stay in view and the first is active: the palette. */
  isAlwaysOpen?: boolean;
  placeholder?: string;
}

export function Combobox<T>(props: ComboboxProps<T>) {
  const { label, text, ask, onChoose, onNew, isAlwaysOpen = false } = props;
  const id = useId();
  const { options, typed, active, open, close } = useOptions<T>(ask, isAlwaysOpen);
  const list = useRef<HTMLUListElement>(null);
  const w = words.value.ui;
  const isOpen = isAlwaysOpen || typed.value !== undefined;
  const shown = options.value ?? [];
  const name = (typed.value ?? '').trim();
  // Whoever types a name that is there means that one.
  const isNewOffered = onNew !== undefined && name !== '' && !shown.some((option) => option.label === name);
  const entries = isNewOffered ? [...shown, { label: w.create(name) }] : shown;
  const count = entries.length;

  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [active.value]);
  const choose = (place: number): void => {
    const option = shown[place];
    if (option === undefined ? !isNewOffered : option.disabled === true) return;
    if (!isAlwaysOpen) close();
    if (option === undefined) onNew?.(name);
    else onChoose(option);
  };
  const move = (by: number): void => {
    if (!isOpen) open('');
    else if (count > 0) active.value = active.value === -1 && by < 0 ? count - 1 : (active.value + by + count) % count;
  };
  const hear = (event: KeyboardEvent): void => {
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') move(key === 'ArrowDown' ? 1 : -1);
    else if (key === 'Enter' && isOpen && active.value >= 0) choose(active.value);
    else if (key === 'Escape' && isOpen && !isAlwaysOpen) close();
    else return;
    event.preventDefault();
  };
  return (
    <Field label={label} description={props.description} error={props.error} isOptional={props.isOptional ?? false}>
      {(control) => (
        <div class={`combobox${isAlwaysOpen ? ' combobox-open' : ''}`}>
          <input
            {...control}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={isOpen}
            aria-controls={`${id}-list`}
            aria-activedescendant={
              isOpen && active.value >= 0 && active.value < count ? `${id}-${active.value}` : undefined
            }
            autocomplete="off"
            spellcheck={false}
            placeholder={props.placeholder}
            value={typed.value ?? text}
            onInput={({ currentTarget }) => open(currentTarget.value)}
            onClick={() => isOpen || open('')}
            onKeyDown={hear}
            onBlur={() => isAlwaysOpen || close()}
          />
          <ul ref={list} id={`${id}-list`} role="listbox" aria-label={label} hidden={!isOpen}>
            {(isOpen ? entries : []).map((entry, place) => (
              <Entry
                key={place}
                id={`${id}-${place}`}
                entry={entry}
                isActive={place === active.value}
                onPress={() => choose(place)}
              />
            ))}
          </ul>
          {isOpen && count === 0 && (
            <p class="combobox-none" role="status">
              {options.value === undefined ? w.searching : w.noMatch}
            </p>
          )}
        </div>
      )}
    </Field>
  );
}

interface EntryProps {
  id: string;
  entry: Omit<Option<unknown>, 'value'>;
  isActive: boolean;
  onPress: () => void;
}

function Entry({ id, entry: { label, details, disabled }, isActive, onPress }: EntryProps) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={isActive}
      aria-disabled={disabled}
      // Focus stays in the field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      {label}
      {details !== undefined && <small>{details}</small>}
    </li>
  );
}
