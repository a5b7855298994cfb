/** The fields of a planned action: those of its type, and one kind of time. */
import { useMemo } from 'preact/hooks';
import { useList } from '../../api/reads.ts';
import { shownZone } from '../../shown-zone.ts';
import { Field } from '../../ui/field.tsx';
import type { Draft } from '../../ui/form/draft.ts';
import { fieldsIn } from '../../ui/form/field.ts';
import { useForm, type FieldView } from '../../ui/form/form-context.ts';
import { FormFields } from '../../ui/form/form-fields.tsx';
import { pickerFor, type ResourceLayout } from '../pickers.ts';
import { words } from './words.ts';

function layoutOf(livestreamId: number, isRelative: boolean): ResourceLayout {
  const w = words.value;
  return {
    hidden: isRelative ? ['execute_at'] : ['at'],
    order: ['execute_at', 'scheduleId', 'at'],
    advanced: ['payload.startConfig', 'payload.metadata.id', 'payload.metadata.attributes'],
    labels: {
      type: w.what,
      'payload.type': w.insert,
      scheduleId: w.schedule,
      at: w.offset,
      'at.from': w.edge,
      'at.seconds': w.seconds,
    },
    choices: {
      type: w.types,
      'at.from': w.edges,
      'payload.mode': w.modes,
      'payload.type': w.marks,
      'payload.action': w.shown,
    },
    pickers: {
      scheduleId: { list: 'getAllSchedules', params: { livestreamId } },
      'payload.filename': { list: 'listAssets', params: { fileType: 'files' }, value: 'filename' },
    },
    controls: {
      at: PlainFields,
      payload: PlainFields,
      'payload.logo': PlainFields,
      'payload.logo.filename': LogoField,
    },
  };
}

interface ActionFieldsProps {
  draft: Draft;
  livestreamId: number;
  /** The time that was moved, and where to; undefined: it stays. */
  moved?: { from: string; to: string } | undefined;
}

export function ActionFields({ draft, livestreamId, moved }: ActionFieldsProps) {
  useMemo(() => {
    if (moved !== undefined) move(draft, moved);
  }, [draft]);
  const { scheduleId } = draft.values.value;
  const layout = layoutOf(livestreamId, scheduleId !== '' && scheduleId != null);
  const pickers = useMemo(() => pickerFor(layout), []);
  return <FormFields draft={draft} layout={layout} zone={shownZone.value} pickerFor={pickers} />;
}

/** One that goes with a Schedule is moved at each occurrence. */
function move(draft: Draft, { from, to }: { from: string; to: string }): void {
  const at = draft.values.peek()['at'] as { seconds?: number } | null | undefined;
  if (at == null) return draft.set('execute_at', to);
  draft.set('at.seconds', (at.seconds ?? 0) + Math.round((Date.parse(to) - Date.parse(from)) / 1000));
}

/** What the type needs, without a frame of its own. */
function PlainFields({ field, path, root, error }: FieldView) {
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
