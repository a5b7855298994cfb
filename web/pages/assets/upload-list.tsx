/** A place that takes dropped files, and the uploads under way. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from '../../ui/button.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { words as common } from '../../i18n/words.ts';
import type { Bucket } from './bucket.ts';
import { dismiss, startUpload, uploads, type UploadEntry } from './uploads.ts';
import { words } from './words.ts';

export function DropZone({ bucket, children }: { bucket: Bucket; children: ComponentChildren }) {
  const isOver = useSignal(false);
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
  const over = (event: DragEvent): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    isOver.value = true;
  };
  const drop = (event: DragEvent): void => {
    isOver.value = false;
    if (!hasFiles(event)) return;
    event.preventDefault();
    for (const file of event.dataTransfer?.files ?? []) startUpload(bucket, file);
  };
  return (
    <div
      class={`drop-zone${isOver.value ? ' drop-zone-over' : ''}`}
      onDragOver={over}
      onDragLeave={() => (isOver.value = false)}
      onDrop={drop}
    >
      {children}
      <p class="soft">{words.value.drop}</p>
    </div>
  );
}

export function UploadList() {
  if (uploads.value.length === 0) return null;
  return (
    <ul class="uploads" aria-label={words.value.uploads}>
      {uploads.value.map((entry) => (
        <UploadRow key={entry.id} entry={entry} />
      ))}
    </ul>
  );
}

function UploadRow({ entry: { id, name, progress, error, cancel } }: { entry: UploadEntry }) {
  const w = words.value;
  const isRefused = error.value !== undefined;
  return (
    <li>
      <div class="bar">
        <span class="member-name">{name}</span>
        {!isRefused && <Progress name={name} share={progress.value} />}
        <Button
          kind="quiet"
          label={isRefused ? w.dismiss(name) : w.cancel(name)}
          onPress={isRefused ? () => dismiss(id) : cancel}
        >
          {isRefused ? common.value.ui.close : common.value.ui.cancel}
        </Button>
      </div>
      <ProblemAlert problem={error.value} />
    </li>
  );
}

export function Progress({ name, share }: { name: string; share: number }) {
  const w = words.value;
  return (
    <span class="upload-progress">
      <progress aria-label={w.uploading(name)} value={share} max={1} /> {w.percent(share)}
    </span>
  );
}
