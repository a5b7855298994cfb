/** A button that opens a popover of controls or acts. Esc and a click beside it close it, and focus returns to the button. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { Icon, type IconName } from './show/icon.tsx';

interface MenuProps {
  label: string;
  /** Stands on the button in place of the label. */
  children?: ComponentChildren;
  icon?: IconName;
  /** The content of the popover; `close` takes it away. */
  content: (close: () => void) => ComponentChildren;
  side?: 'left' | 'right';
}

export function Menu({ label, children, icon, content, side = 'right' }: MenuProps) {
  const isOpen = useSignal(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const place = (): void => {
    const at = button.current?.getBoundingClientRect();
    const box = panel.current;
    if (at === undefined || box === null) return;
    const left = side === 'left' ? at.left : at.right - box.offsetWidth;
    const below = at.bottom + 4;
    const top = below + box.offsetHeight > innerHeight ? Math.max(8, at.top - 4 - box.offsetHeight) : below;
    // The policy forbids style attributes; setting a property is not one.
    box.style.left = `${Math.max(8, Math.min(left, innerWidth - box.offsetWidth - 8))}px`;
    box.style.top = `${top}px`;
  };
  const hearToggle = ({ newState }: Pick<ToggleEvent, 'newState'>): void => {
    isOpen.value = newState === 'open';
    if (newState !== 'open') return;
    place();
    panel.current?.querySelector<HTMLElement>('button, input, select, a')?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="button button-quiet"
        aria-label={label}
        aria-expanded={isOpen.value}
        popovertarget={id}
      >
        {icon !== undefined && <Icon name={icon} />}
        {children ?? <span>{label}</span>}
      </button>
      <div id={id} ref={panel} popover="auto" class="menu" role="group" aria-label={label} onToggle={hearToggle}>
        {isOpen.value && content(() => panel.current?.hidePopover())}
      </div>
    </>
  );
}
