/** The fields of the wizard, and which of them are missing. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { isBusy, setUp, type Wanted } from './set-up.ts';
import { optionsIn, useOptions } from './options.ts';
import { words } from './words.ts';

export function useFields() {
  const file = useSignal<File | undefined>(undefined);
  const address = useSignal('');
  const ingest = useSignal('');
  const name = useSignal('');
  const options = useOptions();
  const missing = useSignal<string | undefined>(undefined);
  const input = useRef<HTMLInputElement>(null);
  return {
    address,
    ingest,
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
    /** `isTrial`: only the plan is shown. */
    submit(isTrial: boolean): void {
      const w = words.peek();
      const more = optionsIn(options);
      const wanted = {
        file: file.peek(),
        address: address.peek().trim(),
        ingest: ingest.peek() as Wanted['ingest'],
        name: name.peek().trim(),
        more,
        isTrial,
      };
      const sources = [wanted.file, wanted.address, wanted.ingest].filter((each) => each !== undefined && each !== '');
      const isHalf = (more['start_at'] === undefined) !== (more['end_at'] === undefined);
      missing.value = sources.length > 1 ? w.both : sources.length === 0 ? w.nothing : isHalf ? w.onceOf : undefined;
      if (missing.value === undefined) void setUp(wanted);
    },
  };
}

export type Fields = ReturnType<typeof useFields>;
