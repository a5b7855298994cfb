/** The dialogs that acts have opened; the last one is on top. */
import { viewOf } from '../../../../live/streams.ts';
import { Solo } from '../../solo/solo.tsx';
import { ClipDialog } from '../../clips/clip-dialog.tsx';
import { closeDialog, openDialogs, type OpenDialog } from '../focus.ts';
import { EndRecordingDialog } from './end-recording-dialog.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { NoteDialog } from './note-dialog.tsx';
import { LastPathDialog, PathsDialog } from './paths-dialog.tsx';
import { LogoDialog } from './logo-dialog.tsx';
import { Sheet } from './sheet.tsx';
import { SourceDialog } from './source-dialog.tsx';
import { StopDialog } from './stop-dialog.tsx';
import { TextDialog } from './text-dialog.tsx';

export { acknowledgeStream } from '../acknowledge.ts';
export { switchBack } from '../source-switch.ts';
export { TroubleList } from '../../side/trouble-list.tsx';

export function Dialogs() {
  return (
    <>
      {openDialogs.value.map((dialog, place) => (
        <One key={`${place} ${dialog.kind} ${dialog.id}`} dialog={dialog} />
      ))}
    </>
  );
}

function One({ dialog }: { dialog: OpenDialog }) {
  const status = viewOf(dialog.id)?.status.value;
  const close = (): void => closeDialog(dialog);
  if (status === undefined) return null;
  switch (dialog.kind) {
    case 'stop':
      return <StopDialog status={status} onClose={close} />;
    case 'text':
      return <TextDialog status={status} onClose={close} />;
    case 'logo':
      return <LogoDialog status={status} onClose={close} />;
    case 'source':
      return <SourceDialog status={status} onClose={close} />;
    case 'paths':
      return <PathsDialog status={status} onClose={close} />;
    case 'last-path':
      return <LastPathDialog status={status} publishingId={dialog.publishingId} kind={dialog.path} onClose={close} />;
    case 'key':
      return <KeyDialog status={status} publishingId={dialog.publishingId} onClose={close} />;
    case 'end-recording':
      return <EndRecordingDialog status={status} onClose={close} />;
    case 'note':
      return <NoteDialog status={status} onClose={close} />;
    case 'clip':
      return <ClipDialog status={status} from={dialog.from} to={dialog.to} onClose={close} />;
    case 'sheet':
      return <Sheet status={status} onClose={close} />;
    case 'solo':
      return <Solo id={dialog.id} first={dialog.tab} listens={dialog.listens === true} onClose={close} />;
  }
}
