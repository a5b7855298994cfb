/** Shows what was chosen beside the list: a region with its name. Esc closes it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { words } from '../i18n/words.ts';
import { Icon } from './show/icon.tsx';

interface DrawerProps {
  /** The name of the region and its heading. */
  title: string;
  onClose: () => void;
  /** Buttons beside the heading. */
  acts?: ComponentChildren;
  children: ComponentChildren;
  /** Moves focus to the heading when it opens; leave it out where arrows walk the list meanwhile. */
  takesFocus?: boolean;
}

export function Drawer({ title, onClose, acts, children, takesFocus = false }: DrawerProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [title]);
  const hear = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    onClose();
  };
  return (
    <section class="drawer" aria-label={title} onKeyDown={hear}>
      <header class="drawer-head">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {acts}
        <button type="button" class="button button-quiet" aria-label={words.value.ui.close} onClick={onClose}>
          <Icon name="x" />
        </button>
      </header>
      {children}
    </section>
  );
}
