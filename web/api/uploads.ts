/** Uploads of files. fetch tells nothing of how far a request is, so this is XMLHttpRequest. */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { OPERATIONS, type OperationId } from '../gen/operations.ts';
import { dataIn, splitParams } from './call.ts';
import { API_ROOT, newKey } from './client.ts';
import type { DataOf, ParamsOf } from './operation-types.ts';
import { ProblemError, problemOf } from './problems.ts';
import { forgetSession, session } from './session.ts';

export interface Uploading<D> {
  /** From 0 to 1. */
  progress: ReadonlySignal<number>;
  /** Rejects with ProblemError. */
  done: Promise<D>;
  cancel(): void;
}

export function upload<O extends OperationId>(request: {
  operation: O;
  params?: ParamsOf<O>;
  /** The texts of the form beside the file. */
  fields?: Readonly<Record<string, string>>;
  file: File;
  /** One press, one key: the same for a file that is sent again, because nobody knows what became of it. */
  idempotencyKey?: string;
}): Uploading<DataOf<O>> {
  const { operation, params, fields = {}, file, idempotencyKey = newKey() } = request;
  const { method, path } = OPERATIONS[operation];
  const parts = splitParams(path, params ?? {});
  const address = Object.entries(parts.path).reduce<string>(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    path,
  );
  const form = new FormData();
  // The server reads as it comes: it knows the texts before the file begins.
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', file);
  const sent = signal(0);
  const xhr = new XMLHttpRequest();
  xhr.upload.onprogress = ({ loaded, total, lengthComputable }) => {
    if (lengthComputable) sent.value = loaded / total;
  };
  const done = new Promise<DataOf<O>>((resolve, reject) => {
    xhr.onload = () => {
      if (xhr.status < 300) {
        resolve(dataIn(JSON.parse(xhr.responseText)) as DataOf<O>);
        return;
      }
      if (xhr.status === 401) forgetSession();
      void problemOf(new Response(xhr.responseText, { status: xhr.status })).then(reject);
    };
    xhr.onerror = () => reject(new ProblemError(0, {}));
    xhr.onabort = () => reject(new ProblemError(0, {}));
  });
  // Who shows the upload tells why it failed; one that nobody awaits any more must not fault the page.
  done.catch(() => undefined);
  xhr.open(method, `${API_ROOT}${address}`);
  const { csrfToken } = session.value ?? {};
  if (csrfToken !== undefined) xhr.setRequestHeader('X-CSRF-Token', csrfToken);
  xhr.setRequestHeader('Idempotency-Key', idempotencyKey);
  xhr.send(form);
  return { progress: computed(() => sent.value), done, cancel: () => xhr.abort() };
}
