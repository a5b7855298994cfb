/** A new planned action and the edit of one; what was dragged is in the form and not yet saved. */
import { useRef } from 'preact/hooks';
import { useOne } from '../../api/reads.ts';
import { Dialog } from '../../ui/dialog.tsx';
import type { Draft } from '../../ui/form/draft.ts';
import type { Values } from '../../ui/form/field.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { FormDialog } from '../form-dialog.tsx';
import { ActionFields } from './action-fields.tsx';
import { actionText } from './action-text.ts';
import { withOneTime } from './one-time.ts';
import { withWholePayload } from './whole-payload.ts';
import { words } from './words.ts';

interface DialogProps {
  /** The name of the Live stream. */
  stream: string;
  onSaved: () => void;
  onClose: () => void;
}

export interface NewActionProps extends DialogProps {
  livestreamId: number;
  /** First values: `execute_at`, and what is offered for each type. */
  seed: Values;
}

export function NewAction({ livestreamId, stream, seed, onSaved, onClose }: NewActionProps) {
  const draft = useRef<Draft | undefined>(undefined);
  const w = words.value;
  return (
    <FormDialog
      title={w.add(stream)}
      operation="addLivestreamAction"
      params={{ livestreamId }}
      button={w.button}
      seed={{ type: 'logo', at: { from: 'start', seconds: 0 }, ...seed }}
      bodyFrom={(body) => sentOf(body, draft.current)}
      view={(open) => <ActionFields draft={(draft.current = open)} livestreamId={livestreamId} />}
      onSaved={onSaved}
      onClose={onClose}
    />
  );
}

interface EditActionProps extends DialogProps {
  actionId: number;
  /** The time that was moved, and where to; undefined: it stays. */
  moved?: { from: string; to: string } | undefined;
}

export function EditAction({ actionId, moved, stream, onSaved, onClose }: EditActionProps) {
  const draft = useRef<Draft | undefined>(undefined);
  const { data, etag, error, isAsking } = useOne('getPlannedAction', { actionId });
  // The form keeps the version that it was opened with: a change of the row meanwhile must meet its If-Match.
  const opened = useRef<{ data: NonNullable<typeof data>; etag: typeof etag } | undefined>(undefined);
  if (opened.current === undefined && data !== undefined && !isAsking) opened.current = { data, etag };
  const w = words.value;
  if (opened.current === undefined)
    return error === null ? null : (
      <Dialog title={stream} onClose={onClose}>
        <ProblemAlert problem={error} />
      </Dialog>
    );
  const row = opened.current.data;
  const title = w.edit(actionText(row, w), stream);
  return (
    <FormDialog
      title={title}
      operation="updatePlannedAction"
      params={{ actionId }}
      row={row}
      etag={opened.current.etag}
      bodyFrom={(body) => sentOf(body, draft.current)}
      view={(open) => <ActionFields draft={(draft.current = open)} livestreamId={row.livestreamId} moved={moved} />}
      onSaved={onSaved}
      onClose={onClose}
    />
  );
}

function sentOf(body: Record<string, unknown>, draft: Draft | undefined): Record<string, unknown> {
  return draft === undefined ? body : withOneTime(withWholePayload(body, draft), draft);
}
