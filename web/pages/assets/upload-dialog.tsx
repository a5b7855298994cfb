/** The button twin of dropping: a file is chosen, and may get another name. */
import { useSignal } from '@preact/signals';
import { fieldError } from '../../i18n/problem-text.ts';
import { words as common } from '../../i18n/words.ts';
import type { ProblemError } from '../../api/problems.ts';
import type { Uploading } from '../../api/uploads.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextField } from '../../ui/field.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import type { Asset, Bucket } from './bucket.ts';
import { Progress } from './upload-list.tsx';
import { uploadTo } from './uploads.ts';
import { words } from './words.ts';

const ACCEPTS = { logos: 'image/*', files: 'video/*,audio/*,image/*', clips: 'video/*' };

export function UploadDialog({ bucket, onClose }: { bucket: Bucket; onClose: () => void }) {
  const name = useSignal('');
  const file = useSignal<File | undefined>(undefined);
  const isMissing = useSignal(false);
  const problem = useSignal<ProblemError | undefined>(undefined);
  const uploading = useSignal<Uploading<Asset> | undefined>(undefined);
  const w = words.value;
  const close = (): void => {
    uploading.value?.cancel();
    onClose();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    isMissing.value = file.value === undefined;
    if (file.value === undefined || uploading.value !== undefined) return;
    problem.value = undefined;
    const started = uploadTo(bucket, file.value, name.value.trim());
    uploading.value = started;
    started.done.then(onClose, (error: ProblemError) => {
      problem.value = error;
      uploading.value = undefined;
    });
  };
  return (
    <Dialog title={w.add[bucket]} onClose={close}>
      <form class="form" aria-label={w.add[bucket]} noValidate onSubmit={submit}>
        <ProblemAlert problem={problem.value} />
        <TextField
          label={w.name}
          description={w.nameHelp}
          isOptional
          value={name.value}
          onValue={(text) => (name.value = text)}
          error={fieldError(problem.value, 'filename')}
        />
        <Field label={w.file} error={isMissing.value ? w.fileMissing : undefined}>
          {(control) => (
            <input
              {...control}
              type="file"
              accept={ACCEPTS[bucket]}
              onChange={({ currentTarget }) => (file.value = currentTarget.files?.[0])}
            />
          )}
        </Field>
        {uploading.value !== undefined && (
          <Progress name={file.value?.name ?? ''} share={uploading.value.progress.value} />
        )}
        <footer class="dialog-foot">
          <Button onPress={close}>{common.value.ui.cancel}</Button>
          <Button kind="main" submits busy={uploading.value !== undefined && w.uploading(file.value?.name ?? '')}>
            {common.value.ui.save}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
