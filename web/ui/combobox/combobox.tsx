/** A picker that is searched by typing (ARIA: combobox with a listbox). Options may be asked of the server; a new thing may be made in place. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { words } from '../../i18n/words.ts';
import { afterPress } from '../after-press.ts';
import { Entries } from './combobox-entries.tsx';
import { Field } from '../field.tsx';
import { addPicker } from '../form/unchosen.ts';
import type { Option } from './chosen-by.ts';
import { useOptions } from './use-options.ts';

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

/** The options for what is typed, and whether a new one is offered behind them. */
function offered<T>(
  options: readonly Option<T>[] | undefined,
  typed: string | undefined,
  onNew: ComboboxProps<T>['onNew'],
): { shown: readonly Option<T>[]; name: string; isNewOffered: boolean } {
  const shown = options ?? [];
  const name = (typed ?? '').trim();
  // Whoever types a name that is there means that one.
  const isNewOffered = onNew !== undefined && name !== '' && !shown.some((option) => option.label === name);
  return { shown, name, isNewOffered };
}

export function Combobox<T>(props: ComboboxProps<T>) {
  const { label, text, ask, onChoose, onNew, isAlwaysOpen = false } = props;
  const id = useId();
  const { options, typed, active, open, close, left, leave } = useOptions<T>(ask, { isAlwaysOpen, text, onChoose });
  const input = useRef<HTMLInputElement>(null);
  const settle = useRef(leave);
  settle.current = leave;
  const w = words.value.ui;
  const isOpen = isAlwaysOpen || typed.value !== undefined;
  const drawn = offered(options.value, typed.value, onNew);
  const { shown, name, isNewOffered } = drawn;
  const entries = isNewOffered ? [...shown, { label: w.create(name) }] : shown;
  const count = entries.length;

  useEffect(() => (isAlwaysOpen ? undefined : addPicker(input.current!, () => settle.current())), []);
  const why = left.value?.why;
  const choose = (place: number, among = drawn): void => {
    const option = among.shown[place];
    if (option === undefined ? !among.isNewOffered : option.disabled === true) return;
    if (!isAlwaysOpen) close();
    if (option === undefined) onNew?.(among.name);
    else onChoose(option);
  };
  const move = (by: number): void => {
    if (!isOpen) open(left.peek()?.text ?? '');
    else if (count > 0) active.value = active.value === -1 && by < 0 ? count - 1 : (active.value + by + count) % count;
  };
  const hear = (event: KeyboardEvent): void => {
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') move(key === 'ArrowDown' ? 1 : -1);
    // The key may come before what was typed last is drawn.
    else if (key === 'Enter' && isOpen && active.value >= 0)
      choose(active.value, offered(options.value, typed.value, onNew));
    else if (key === 'Escape' && (isOpen || left.peek() !== undefined) && !isAlwaysOpen) close();
    else return;
    event.preventDefault();
  };
  return (
    <Field
      label={label}
      description={props.description}
      error={why === undefined ? props.error : w.unchosen[why](left.value!.text)}
      isOptional={props.isOptional ?? false}
    >
      {(control) => (
        <div class={`combobox${isAlwaysOpen ? ' combobox-open' : ''}`}>
          <input
            {...control}
            ref={input}
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
            value={typed.value ?? left.value?.text ?? text}
            onInput={({ currentTarget }) => open(currentTarget.value)}
            onClick={() => isOpen || open(left.peek()?.text ?? '')}
            onKeyDown={hear}
            onBlur={() => isAlwaysOpen || afterPress(() => void settle.current())}
          />
          <Entries id={id} entries={isOpen ? entries : undefined} active={active.value} onPress={choose} />
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
