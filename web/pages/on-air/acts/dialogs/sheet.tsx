/** The acts where there is no room for a bar. */
import type { LivestreamStatus } from '../../../../live/status.ts';
import { Dialog } from '../../../../ui/dialog.tsx';
import { words } from '../../words.ts';
import { Toolbar } from '../toolbar.tsx';

export function Sheet({ status, onClose }: { status: LivestreamStatus; onClose: () => void }) {
  return (
    <Dialog title={words.value.acts.toolbar(status.name)} onClose={onClose}>
      <div class="sheet">
        <Toolbar id={status.livestreamId} />
      </div>
    </Dialog>
  );
}
