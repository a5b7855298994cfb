/** A picker that is searched by typing (ARIA: combobox with a listbox). Options may be asked of the server; a new thing may be made in place. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { words } from '../i18n/words.ts';
import { Field } from './field.tsx';

export interface Option<T> {
  value: T;
  label: string;
  /** The softer second line: `SRT, 2 in use`. */
  details?: string;
  /** Shown, and cannot be chosen: the reason stands in `details`. */
  disabled?: boolean;
}

interface ComboboxProps<T> {
  label: string;
  /** What is chosen, as it is shown while nothing is typed. */
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

const SETTLE_MS = 120;

export function Combobox<T>(props: ComboboxProps<T>) {
  const { label, text, ask, onChoose, onNew, isAlwaysOpen = false } = props;
  const id = useId();
  const options = useSignal<readonly Option<T>[] | undefined>(undefined);
  const typed = useSignal<string | undefined>(undefined);
  const active = useSignal(isAlwaysOpen ? 0 : -1);
  const list = useRef<HTMLUListElement>(null);
  const asked = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const w = words.value.ui;
  const isOpen = isAlwaysOpen || typed.value !== undefined;
  const isNewOffered = onNew !== undefined && (typed.value ?? '').trim() !== '';
  const shown = options.value ?? [];
  const count = shown.length + (isNewOffered ? 1 : 0);

  const load = (search: string): void => {
    const mine = (asked.current += 1);
    const take = (found: readonly Option<T>[]): void => {
      if (mine !== asked.current) return;
      options.value = found;
      active.value = isAlwaysOpen || search !== '' ? found.findIndex(({ disabled }) => disabled !== true) : -1;
    };
    const answer = ask(search);
    if (answer instanceof Promise) answer.then(take, () => take([]));
    else take(answer);
  };
  const open = (search: string): void => {
    const isFirst = typed.value === undefined;
    typed.value = search;
    clearTimeout(timer.current);
    if (isFirst || isAlwaysOpen) load(search);
    else timer.current = setTimeout(() => load(search), SETTLE_MS);
  };
  const close = (): void => {
    clearTimeout(timer.current);
    asked.current += 1;
    typed.value = undefined;
    active.value = -1;
  };
  useEffect(() => {
    if (isAlwaysOpen) load('');
    return () => clearTimeout(timer.current);
  }, []);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [active.value]);
  const choose = (place: number): void => {
    const option = shown[place];
    const search = typed.value ?? '';
    if (option === undefined ? !isNewOffered : option.disabled === true) return;
    if (!isAlwaysOpen) close();
    if (option === undefined) onNew?.(search.trim());
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
            {isOpen &&
              shown.map((option, place) => (
                <li
                  key={place}
                  id={`${id}-${place}`}
                  role="option"
                  aria-selected={place === active.value}
                  aria-disabled={option.disabled}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => choose(place)}
                >
                  {option.label}
                  {option.details !== undefined && <small>{option.details}</small>}
                </li>
              ))}
            {isOpen && isNewOffered && (
              <li
                id={`${id}-${shown.length}`}
                role="option"
                aria-selected={active.value === shown.length}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(shown.length)}
              >
                {w.create((typed.value ?? '').trim())}
              </li>
            )}
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
