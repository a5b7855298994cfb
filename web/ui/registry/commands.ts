/** What the palette (Ctrl K) offers. The shell gives pages and streams; a page gives its acts while it is open. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface Command {
  /** Unique among all: `page sources`, `stop 12`. */
  id: string;
  /** What is looked for and read: `Stop Sunday service`. */
  name: string;
  /** The second, softer line: `Live stream, on air`. */
  details?: string;
  /** The key that does the same, as it is shown. */
  keyHint?: string;
  run: () => void;
}

type Source = () => readonly Command[];
const sources = signal<readonly Source[]>([]);

/** Gives commands until the returned function is called; `source` is asked each time the palette is open. */
export function provideCommands(source: Source): () => void {
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

const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Commands whose name has all the words, in any order; those that begin with them come first. */
export function findCommands(commands: readonly Command[], search: string): Command[] {
  const parts = plain(search)
    .split(/\s+/u)
    .filter((part) => part !== '');
  const rank = ({ name, details = '' }: Command): number => {
    const text = plain(name);
    if (!parts.every((part) => `${text} ${plain(details)}`.includes(part))) return -1;
    if (text.startsWith(parts.join(' '))) return 3;
    return parts.every((part) => text.split(/\s+/u).some((word) => word.startsWith(part))) ? 2 : 1;
  };
  return commands
    .map((command, place) => ({ command, place, rank: rank(command) }))
    .filter((each) => each.rank > 0)
    .sort((one, other) => other.rank - one.rank || one.place - other.place)
    .map(({ command }) => command);
}
