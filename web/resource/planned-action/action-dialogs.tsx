/** A new planned action and the edit of one; what was dragged is in the form and not yet saved. */
import { useMemo, useRef } from 'preact/hooks';
import { useList, useOne } from '../../api/reads.ts';
import { shownZone } from '../../shown-zone.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import type { Draft } from '../../ui/form/draft.ts';
import type { Values } from '../../ui/form/field.ts';
import { fieldsIn } from '../../ui/form/field.ts';
import { useForm, type FieldView } from '../../ui/form/form-context.ts';
import { FormFields } from '../../ui/form/form-fields.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { FormDialog } from '../form-dialog.tsx';
import { pickerFor, type ResourceLayout } from '../pickers.ts';
import { actionText } from './action-text.ts';
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
      seed={{ type: 'logo', ...seed }}
      bodyFrom={(body) => (draft.current === undefined ? body : withWholePayload(body, draft.current))}
      view={(open) => <ActionFields draft={(draft.current = open)} />}
      onSaved={onSaved}
      onClose={onClose}
    />
  );
}

interface EditActionProps extends DialogProps {
  actionId: number;
  /** Where it was moved to; undefined: it stays. */
  at?: string | undefined;
}

export function EditAction({ actionId, at, stream, onSaved, onClose }: EditActionProps) {
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
      bodyFrom={(body) => (draft.current === undefined ? body : withWholePayload(body, draft.current))}
      view={(open) => <ActionFields draft={(draft.current = open)} at={at} />}
      onSaved={onSaved}
      onClose={onClose}
    />
  );
}

function layoutOf(): ResourceLayout {
  const w = words.value;
  return {
    order: ['execute_at'],
    advanced: ['payload.startConfig', 'payload.metadata.id', 'payload.metadata.attributes'],
    labels: { type: w.what, 'payload.type': w.insert },
    choices: { type: w.types, 'payload.mode': w.modes, 'payload.type': w.marks, 'payload.action': w.shown },
    pickers: { 'payload.filename': { list: 'listAssets', params: { fileType: 'files' }, value: 'filename' } },
    controls: { payload: PayloadFields, 'payload.logo': PayloadFields, 'payload.logo.filename': LogoField },
  };
}

function ActionFields({ draft, at }: { draft: Draft; at?: string | undefined }) {
  useMemo(() => {
    if (at !== undefined) draft.set('execute_at', at);
  }, [draft]);
  const layout = layoutOf();
  const pickers = useMemo(() => pickerFor(layout), []);
  return <FormFields draft={draft} layout={layout} zone={shownZone.value} pickerFor={pickers} />;
}

/** What the type needs, without a frame of its own. */
function PayloadFields({ field, path, root, error }: FieldView) {
  const { FieldGroup } = useForm();
  return (
    <>
      {error !== undefined && <p class="field-error">{error}</p>}
      <FieldGroup fields={fieldsIn(field)} prefix={`${path}.`} root={root} />
    </>
  );
}

function LogoField({ value, onValue, error }: FieldView) {
  const { rows } = useList('listAssets', { params: { fileType: 'logos' }, sort: 'filename', pageSize: 500 });
  const w = words.value;
  const held = typeof value === 'string' ? value : '';
  const names = rows.flatMap(({ filename }) => filename ?? []);
  return (
    <Field label={w.logo} error={error}>
      {(control) => (
        <select {...control} value={held} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
          <option value="">{w.noLogo}</option>
          {(held === '' || names.includes(held) ? names : [held, ...names]).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
