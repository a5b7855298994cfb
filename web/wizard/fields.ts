/** The fields of the wizard, and which of them are missing. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { isBusy, setUp } from './set-up.ts';
import { optionsIn, useOptions } from './options.ts';
import { words } from './words.ts';

export function useFields() {
  const file = useSignal<File | undefined>(undefined);
  const address = useSignal('');
  const name = useSignal('');
  const options = useOptions();
  const missing = useSignal<string | undefined>(undefined);
  const input = useRef<HTMLInputElement>(null);
  return {
    address,
    name,
    options,
    missing,
    input,
    choose(files: FileList | null | undefined): void {
      file.value = files?.[0];
      missing.value = undefined;
    },
    drop(files: FileList | undefined): void {
      if (files?.[0] === undefined || isBusy.peek()) return;
      if (input.current !== null) input.current.files = files;
      this.choose(files);
    },
    submit(): void {
      const w = words.peek();
      const more = optionsIn(options);
      const wanted = { file: file.peek(), address: address.peek().trim(), name: name.peek().trim(), more };
      const hasAddress = wanted.address !== '';
      const hasFile = wanted.file !== undefined;
      const isHalf = (more['start_at'] === undefined) !== (more['end_at'] === undefined);
      missing.value =
        hasFile && hasAddress ? w.both : !hasFile && !hasAddress ? w.nothing : isHalf ? w.onceOf : undefined;
      if (missing.value === undefined) void setUp(wanted);
    },
  };
}

export type Fields = ReturnType<typeof useFields>;
