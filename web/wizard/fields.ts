/** The fields of the wizard, and what they missing. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { isBusy, setUp } from './set-up.ts';
import { words } from './words.ts';

export function useFields() {
  const file = useSignal<File | undefined>(undefined);
  const address = useSignal('');
  const name = useSignal('');
  const missing = useSignal<string | undefined>(undefined);
  const input = useRef<HTMLInputElement>(null);
  return {
    address,
    name,
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
      const wanted = { file: file.peek(), address: address.peek().trim(), name: name.peek().trim() };
      const hasAddress = wanted.address !== '';
      const hasFile = wanted.file !== undefined;
      missing.value = hasFile && hasAddress ? w.both : !hasFile && !hasAddress ? w.nothing : undefined;
      if (missing.value === undefined) void setUp(wanted);
    },
  };
}

export type Fields = ReturnType<typeof useFields>;
