/** A form in a dialog: loads its fields, saves, shows findings and conflicts, asks before changes are lost. */
import { useMemo } from 'preact/hooks';
import type { FormOperation } from '../gen/forms.ts';
import { formWords } from '../i18n/form-words.ts';
import { words } from '../i18n/words.ts';
import { shownZone } from '../shown-zone.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FormFields } from '../ui/form/form-fields.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { Outline } from '../ui/show/outline.tsx';
import { ChangedDialog } from './changed-dialog.tsx';
import { useOpenForm, type FormDialogProps } from './open-form.ts';
import { pickerFor } from './pickers.ts';

export function FormDialog<O extends FormOperation>(props: FormDialogProps<O>) {
  const { title, layout = {}, button, name = title, children } = props;
  const { draft, isLeaving, mine, form, saving, close, submit, keepMine, takeTheirs } = useOpenForm(props);
  const pickers = useMemo(() => pickerFor(layout), [layout]);
  const w = words.value.ui;
  const f = formWords.value;
  const conflict = saving.conflict.value;
  return (
    <>
      <Dialog title={title} size={props.size ?? 'small'} onClose={close}>
        <form ref={form} class="form" aria-label={title} noValidate onSubmit={submit}>
          <ProblemAlert problem={saving.problem.value} shownFields={saving.shownFields.value} />
          {children}
          {draft.value === undefined ? (
            <Outline rows={4} />
          ) : (
            (props.view?.(draft.value) ?? (
              <FormFields draft={draft.value} layout={layout} zone={shownZone.value} pickerFor={pickers} />
            ))
          )}
          <div class="dialog-foot">
            <Button onPress={close}>{w.cancel}</Button>
            <Button kind="main" submits busy={saving.isBusy.value && f.saving}>
              {button ?? w.save}
            </Button>
          </div>
        </form>
      </Dialog>
      {isLeaving.value && (
        <ConfirmDialog
          title={f.discardTitle}
          effect={f.discard}
          button={f.discardButton}
          onCancel={() => (isLeaving.value = false)}
          onConfirm={props.onClose}
        />
      )}
      {conflict !== undefined && draft.value !== undefined && (
        <ChangedDialog
          name={name}
          conflict={conflict}
          mine={mine.current}
          onClose={() => (saving.conflict.value = undefined)}
          onKeepMine={() => keepMine(conflict)}
          onTakeTheirs={() => takeTheirs(conflict)}
        />
      )}
    </>
  );
}
