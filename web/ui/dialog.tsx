/** A native modal dialog, named by its heading. Esc closes it, and focus returns to where it was. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { words } from '../i18n/words.ts';
import { Notices } from './notices.tsx';
import { addModal, topModal } from './registry/modals.ts';
import { Icon } from './show/icon.tsx';

interface DialogProps {
  title: string;
  /** Read after the name when the dialog opens. */
  description?: ComponentChildren;
  onClose: () => void;
  children: ComponentChildren;
  /** A wide one has tables or pictures. */
  size?: 'small' | 'wide';
  /** False: neither Esc nor a button closes it. */
  canClose?: boolean;
}

const FIRST = ':scope > :not(.dialog-head) :is(input, select, textarea, button, a, [tabindex="0"]):not(:disabled)';

export function Dialog({ title, description, onClose, children, size = 'small', canClose = true }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const own = useRef({}).current;
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = ref.current;
    dialog?.showModal();
    // The browser would choose the button that closes it.
    const wanted = dialog?.querySelector<HTMLElement>('[autofocus]') ?? dialog?.querySelector<HTMLElement>(FIRST);
    wanted?.focus();
    const remove = addModal(own);
    return () => {
      remove();
      // While it is open everything outside is inert and takes no focus.
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const cancel = (event: Event): void => {
    // The view that shows the dialog takes it away; a dialog that the browser closed would be left behind.
    event.preventDefault();
    if (canClose && event.target === ref.current) onClose();
  };
  const hear = (event: KeyboardEvent): void => {
    // Letters of the view below the dialog are not for it.
    event.stopPropagation();
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    if (canClose) onClose();
  };
  return (
    <dialog
      ref={ref}
      class={`dialog dialog-${size}`}
      aria-labelledby={`${id}-title`}
      aria-describedby={description === undefined ? undefined : `${id}-text`}
      onCancel={cancel}
      onKeyDown={hear}
    >
      <div class="dialog-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {canClose && (
          <button type="button" class="button button-quiet" aria-label={words.value.ui.close} onClick={onClose}>
            <Icon name="x" />
          </button>
        )}
      </div>
      {description !== undefined && (
        <div id={`${id}-text`} class="dialog-text">
          {description}
        </div>
      )}
      {children}
      {topModal.value === own && <Notices />}
    </dialog>
  );
}
