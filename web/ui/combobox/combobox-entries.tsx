/** The listbox of a Combobox. */
import { useEffect, useRef } from 'preact/hooks';
import { words } from '../../i18n/words.ts';
import type { Option } from './chosen-by.ts';

interface EntriesProps {
  id: string;
  /** undefined: the list is closed. */
  entries: readonly EntryProps['entry'][] | undefined;
  active: number;
  onPress: (place: number) => void;
}

export function Entries({ id, entries, active, onPress }: EntriesProps) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <ul ref={list} id={`${id}-list`} role="listbox" aria-label={words.value.ui.options} hidden={entries === undefined}>
      {(entries ?? []).map((entry, place) => (
        <Entry
          key={place}
          id={`${id}-${place}`}
          entry={entry}
          isActive={place === active}
          onPress={() => onPress(place)}
        />
      ))}
    </ul>
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
