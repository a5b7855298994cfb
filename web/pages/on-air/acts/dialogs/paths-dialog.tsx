/** The paths of all Destinations, each with its digit. */
import { useRef } from 'preact/hooks';
import type { LivestreamStatus, Publishing } from '../../../../live/status.ts';
import { Button } from '../../../../ui/button.tsx';
import { ConfirmDialog } from '../../../../ui/confirm-dialog.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { useKeys, type Keys } from '../../../../ui/registry/keys.ts';
import { words } from '../../words.ts';
import { busyWords } from '../orders.ts';
import { pathName, pathOf, pathWord, setPath, togglePath, type PathKind } from '../runtime.ts';
import { StaleNote } from './stale-note.tsx';

interface DialogProps {
  status: LivestreamStatus;
  onClose: () => void;
}

const KINDS = ['primary', 'backup'] as const;

export function PathsDialog({ status, onClose }: DialogProps) {
  const { livestreamId: id, name, publishings } = status;
  const ref = useRef<HTMLDivElement>(null);
  const w = words.value;
  const keys: Keys = {};
  publishings.slice(0, 9).forEach((publishing, place) => {
    for (const kind of KINDS) {
      if (pathOf(publishing, kind) === null) continue;
      const key = kind === 'primary' ? `${place + 1}` : `Shift ${place + 1}`;
      keys[key] = {
        does: pathName(publishing.name, kind),
        act: () => togglePath(id, publishing.publishingId, kind),
      };
    }
  });
  useKeys(ref, w.dialogs.paths(name), keys);
  const busy = busyWords(id, 'paths', w.acts.unconfirmed);
  return (
    <Dialog title={w.dialogs.paths(name)} description={w.dialogs.pathsHelp} onClose={onClose}>
      <StaleNote />
      <div ref={ref} class="paths">
        {publishings.map((publishing, place) => (
          <div key={publishing.publishingId}>
            {KINDS.map((kind) => (
              <PathButton key={kind} id={id} publishing={publishing} kind={kind} digit={place + 1} />
            ))}
          </div>
        ))}
        <p role="status" class="soft">
          {busy ?? ''}
        </p>
      </div>
    </Dialog>
  );
}

interface PathButtonProps {
  id: number;
  publishing: Publishing;
  kind: PathKind;
  digit?: number;
}

/** Pressed is what is switched on; the word is what became of it. */
function PathButton({ id, publishing, kind, digit }: PathButtonProps) {
  const path = pathOf(publishing, kind);
  if (path === null) return null;
  const key = digit === undefined || digit > 9 ? undefined : kind === 'primary' ? `${digit}` : `Shift ${digit}`;
  const name = pathName(publishing.name, kind);
  return (
    <Button
      label={`${name}: ${pathWord(path)}`}
      pressed={path.enabled}
      keyHint={key}
      onPress={() => togglePath(id, publishing.publishingId, kind)}
    >
      {name}: {pathWord(path)}
    </Button>
  );
}

/** Asks before the last path that is up is switched off. */
export function LastPathDialog({
  status,
  publishingId,
  kind,
  onClose,
}: DialogProps & { publishingId: number; kind: PathKind }) {
  const w = words.value.dialogs;
  const name = status.publishings.find((each) => each.publishingId === publishingId)?.name ?? '';
  const path = pathName(name, kind);
  const confirm = (): void => {
    setPath(status.livestreamId, publishingId, kind, false);
    onClose();
  };
  return (
    <ConfirmDialog
      title={w.lastPath(path)}
      effect={
        <>
          {w.lastPathEffect(status.name)}
          <StaleNote />
        </>
      }
      button={w.lastPathButton(path)}
      onConfirm={confirm}
      onCancel={onClose}
    />
  );
}
