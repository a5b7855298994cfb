/** Uploads of files. fetch tells nothing of how far a request is, so this is XMLHttpRequest. */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { OperationId } from '../../client/request.ts';
import { argumentsOf, dataIn } from './call.ts';
import { newKey, refusalOf, requestFor } from './client.ts';
import type { DataOf, ParamsOf } from './operation-types.ts';
import { ProblemError } from './problems.ts';

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
  const args = argumentsOf(params, { ...fields, file });
  const { method, address, headers, body } = requestFor(operation, args, { 'Idempotency-Key': idempotencyKey });
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
      void refusalOf(operation, new Response(xhr.responseText, { status: xhr.status })).then(reject);
    };
    xhr.onerror = () => reject(new ProblemError(0, {}));
    xhr.onabort = () => reject(new ProblemError(0, {}));
  });
  // Who shows the upload tells why it failed; one that nobody awaits any more must not fault the page.
  done.catch(() => undefined);
  xhr.open(method, address);
  for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
  xhr.send(body as FormData);
  return { progress: computed(() => sent.value), done, cancel: () => xhr.abort() };
}
