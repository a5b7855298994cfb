/** One card of the editor: a picker over one or two lists, what is chosen in detail, and a new thing made in place. */
import type { ComponentChildren } from 'preact';
import { Button } from '../../../ui/button.tsx';
import { Combobox, type Option } from '../../../ui/combobox/combobox.tsx';

interface CardProps {
  /** Shown above; a card of one picker has the picker's label. */
  title?: string;
  /** The paths whose findings belong to the card; the first is where the form puts focus. */
  paths: readonly string[];
  errors: Readonly<Record<string, string>>;
  children: ComponentChildren;
}

/** A part of the signal's way, with the server's findings about it. */
export function Card({ title, paths, errors, children }: CardProps) {
  const wrong = paths.some((path) => path in errors);
  return (
    <div class={`editor-card${wrong ? ' editor-card-wrong' : ''}`} data-path={paths[0]}>
      {title !== undefined && <h3>{title}</h3>}
      {children}
    </div>
  );
}

interface CardPickerProps<T> {
  label: string;
  text: string;
  /** The server's words about what is chosen. */
  error: string | undefined;
  details: string;
  options: () => readonly Option<T>[];
  onChoose: (value: T) => void;
  /** Makes a new one in place; undefined where the person may not. */
  onNew?: ((name: string) => void) | undefined;
  newLabel?: string;
}

function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** A list of hundreds is searched, not scrolled. */
const MAX_OPTIONS = 50;

export function CardPicker<T>({ label, text, error, details, options, onChoose, onNew, newLabel }: CardPickerProps<T>) {
  const ask = (typed: string): Option<T>[] =>
    options()
      .filter((option) => plain(`${option.label} ${option.details ?? ''}`).includes(plain(typed.trim())))
      .sort((one, other) => one.label.localeCompare(other.label, undefined, { numeric: true }))
      .slice(0, MAX_OPTIONS);
  return (
    <>
      <Combobox
        label={label}
        text={text}
        ask={ask}
        error={error}
        description={details || undefined}
        onChoose={({ value }) => onChoose(value)}
        onNew={onNew}
      />
      {onNew !== undefined && (
        <Button kind="quiet" icon="plus" onPress={() => onNew('')}>
          {newLabel}
        </Button>
      )}
    </>
  );
}
