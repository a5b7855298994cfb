/**
 * Toasts with their undo, and the two live regions. All outside a modal dialog is inert and below it, so that they stand in the topmost
 * dialog while one is open.
 */
import { words } from '../i18n/words.ts';
import { Button } from './button.tsx';
import { changesText, faultText, notices, removeNotice, type Notice } from './registry/notices.ts';

export function Notices() {
  const w = words.value;
  return (
    <>
      <div role="status" aria-label={w.changes} class="hidden">
        {changesText.value}
      </div>
      {faultText.value !== '' && (
        <div role="alert" class="hidden">
          {faultText.value}
        </div>
      )}
      {notices.value.length > 0 && (
        <section aria-label={w.notices}>
          <ul class="toasts" onMouseDown={keepFocus}>
            {notices.value.map((notice) => (
              <Toast key={notice.id} notice={notice} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** Who takes an act back by the mouse goes on at the tile or field that has focus. */
function keepFocus(event: Event): void {
  event.preventDefault();
}

function Toast({ notice: { id, text, undo } }: { notice: Notice }) {
  const takeBack = (): void => {
    removeNotice(id);
    undo?.();
  };
  return (
    <li>
      <span>{text}</span>
      {undo !== undefined && (
        <Button kind="quiet" icon="undo-2" onPress={takeBack}>
          {words.value.ui.undo}
        </Button>
      )}
    </li>
  );
}
