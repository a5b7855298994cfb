/** The commands that the palette (Ctrl K) offers. The shell gives pages and streams; a page gives its acts while it is open. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Command } from './find-commands.ts';

export type { Command };

type Source = () => readonly Command[];
const sources = signal<readonly Source[]>([]);

/** Gives commands until the returned function is called; `source` is asked each time the palette is open. */
function provideCommands(source: Source): () => void {
  sources.value = [...sources.peek(), source];
  return () => {
    sources.value = sources.peek().filter((each) => each !== source);
  };
}

/** The same for a view, while it is shown. */
export function useCommands(source: Source): void {
  const latest = useRef(source);
  latest.current = source;
  useEffect(() => provideCommands(() => latest.current()), []);
}

export function commandsNow(): readonly Command[] {
  return sources.value.flatMap((source) => source());
}
