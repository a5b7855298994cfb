/** The filter of a list: `/` goes to it, ArrowDown from it to the first row, Esc empties it. */
import { useEffect, useRef } from 'preact/hooks';
import { words } from '../i18n/words.ts';
import { useGlobalKeys } from './registry/keys.ts';
import { Icon } from './show/icon.tsx';

interface SearchBoxProps {
  value: string;
  onValue: (value: string) => void;
  /** Goes to the first row; without it the first row of the page's first Table is meant. */
  onDown?: () => void;
  label?: string;
}

/** A pause in typing after which the server is asked. */
const SETTLE_MS = 150;

export function SearchBox({ value, onValue, onDown, label }: SearchBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const w = words.value.ui;
  const name = label ?? w.filter;
  useGlobalKeys(name, { '/': { does: name, act: () => input.current?.focus() } });
  useEffect(() => () => clearTimeout(timer.current), []);
  const hear = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      if (onDown !== undefined) onDown();
      else document.querySelector<HTMLElement>('main [data-row]')?.focus();
    }
    if (event.key === 'Escape' && input.current !== null && input.current.value !== '') {
      event.preventDefault();
      input.current.value = '';
      onValue('');
    }
  };
  const change = (text: string): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onValue(text), SETTLE_MS);
  };
  return (
    <span class="search-box">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label={name}
        aria-keyshortcuts="/"
        placeholder={name}
        value={value}
        onKeyDown={hear}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </span>
  );
}
