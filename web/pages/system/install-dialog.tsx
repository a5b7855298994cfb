/** Installs a licence from its file. */
import { useSignal } from '@preact/signals';
import { resourceChanged } from '../../api/query.ts';
import { upload } from '../../api/uploads.ts';
import { words as common } from '../../i18n/words.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { words } from './words.ts';

export function InstallDialog({ onClose }: { onClose: () => void }) {
  const file = useSignal<File | undefined>(undefined);
  const isBusy = useSignal(false);
  const problem = useSignal<Error | undefined>(undefined);
  const w = words.value;
  const install = async (chosen: File): Promise<void> => {
    isBusy.value = true;
    problem.value = undefined;
    try {
      await upload({ operation: 'installLicense', file: chosen }).done;
      resourceChanged('system/licenses');
      onClose();
    } catch (error) {
      problem.value = error as Error;
    } finally {
      isBusy.value = false;
    }
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (file.value !== undefined) void install(file.value);
  };
  return (
    <Dialog title={w.install} onClose={onClose}>
      <form class="form" aria-label={w.install} onSubmit={submit}>
        <ProblemAlert problem={problem.value} />
        <Field label={w.file} description={w.fileText}>
          {(control) => (
            <input {...control} type="file" onChange={({ currentTarget }) => (file.value = currentTarget.files?.[0])} />
          )}
        </Field>
        <footer class="dialog-foot">
          <Button onPress={onClose}>{common.value.ui.cancel}</Button>
          <Button
            kind="main"
            submits
            busy={isBusy.value && w.installing}
            disabledWhy={file.value === undefined ? w.noFile : undefined}
          >
            {w.install}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
