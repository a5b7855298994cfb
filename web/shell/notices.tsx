/** Toasts with their undo, and the two live regions. */
import { words } from '../i18n/words.ts';
import { Button } from '../ui/button.tsx';
import { changesText, faultText, notices, removeNotice, type Notice } from '../ui/registry/notices.ts';

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
          <ul class="toasts">
            {notices.value.map((notice) => (
              <Toast key={notice.id} notice={notice} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
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
