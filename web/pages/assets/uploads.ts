/** Uploads under way, kept while the page is left and come back to. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { resourceChanged } from '../../api/query.ts';
import { upload, type Uploading } from '../../api/uploads.ts';
import { announce } from '../../ui/registry/notices.ts';
import type { Asset, Bucket } from './bucket.ts';
import { words } from './words.ts';

export interface UploadEntry {
  id: number;
  name: string;
  progress: ReadonlySignal<number>;
  error: ReadonlySignal<Error | undefined>;
  cancel(): void;
}

export const uploads = signal<readonly UploadEntry[]>([]);
let count = 0;

export function dismiss(id: number): void {
  uploads.value = uploads.value.filter((entry) => entry.id !== id);
}

export function uploadTo(fileType: Bucket, file: File, filename = ''): Uploading<Asset> {
  const fields = { fileType, ...(filename !== '' && { filename }) };
  const uploading = upload({ operation: 'uploadAsset', fields, file }) as Uploading<Asset>;
  uploading.done.then(
    () => {
      resourceChanged('assets');
      announce(words.value.uploaded(filename || file.name));
    },
    () => undefined,
  );
  return uploading;
}

/** An upload of a dropped file: it is listed until it is done, or until its refusal has been read. */
export function startUpload(fileType: Bucket, file: File): void {
  const id = (count += 1);
  const error = signal<Error | undefined>(undefined);
  const { progress, done, cancel } = uploadTo(fileType, file);
  let isCancelled = false;
  const stop = (): void => {
    isCancelled = true;
    cancel();
    dismiss(id);
  };
  uploads.value = [...uploads.value, { id, name: file.name, progress, error, cancel: stop }];
  done.then(
    () => dismiss(id),
    (reason: Error) => {
      if (!isCancelled) error.value = reason;
    },
  );
}
