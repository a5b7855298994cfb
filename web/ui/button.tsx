/** A button with its key on it. While its order is under way it is busy and says so; pressing it again does nothing. */
import type { ComponentChildren } from 'preact';
import { ariaKeys } from './registry/key-names.ts';
import { Icon, type IconName } from './show/icon.tsx';

interface ButtonProps {
  /** The accessible name, where it says more than what is shown: `Stop Sunday service`. */
  label?: string | undefined;
  children: ComponentChildren;
  onPress?: ((event: MouseEvent) => void) | undefined;
  /** The key that does the same, as it is shown: `B`, `Shift L`. The view registers it with useKeys. */
  keyHint?: string | undefined;
  icon?: IconName | undefined;
  /** The words of an order under way: `going black …`. */
  busy?: string | false | undefined;
  /** Follows what is in force and nothing else. */
  pressed?: boolean | undefined;
  kind?: 'plain' | 'main' | 'danger' | 'quiet';
  /** Stays focusable, and says why in its description. */
  disabledWhy?: string | undefined;
  describedBy?: string | undefined;
  expanded?: boolean | undefined;
  submits?: boolean;
  autoFocus?: boolean;
}

export function Button(props: ButtonProps) {
  const { label, children, keyHint, icon, busy, pressed, kind = 'plain', disabledWhy, describedBy, expanded } = props;
  const isBusy = typeof busy === 'string';
  const isOff = isBusy || disabledWhy !== undefined;
  const isNamedApart = isBusy || label !== undefined;
  const press = (event: MouseEvent): void => {
    if (!isOff) props.onPress?.(event);
    else event.preventDefault();
  };
  return (
    <button
      type={props.submits === true ? 'submit' : 'button'}
      class={`button button-${kind}`}
      aria-keyshortcuts={keyHint === undefined ? undefined : ariaKeys(keyHint)}
      aria-pressed={pressed}
      aria-busy={isBusy || undefined}
      aria-description={isBusy ? busy : undefined}
      aria-disabled={isOff || undefined}
      aria-expanded={expanded}
      aria-describedby={describedBy}
      title={disabledWhy}
      autofocus={props.autoFocus}
      onClick={press}
    >
      {icon !== undefined && <Icon name={icon} />}
      {/* The name stays the same whatever is shown: an aria-label would have to contain what is shown. */}
      {isNamedApart && <span class="hidden">{label ?? children}</span>}
      <span aria-hidden={isNamedApart || undefined}>{isBusy ? busy : children}</span>
      {keyHint !== undefined && <kbd aria-hidden="true">{keyHint}</kbd>}
    </button>
  );
}
