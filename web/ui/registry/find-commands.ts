/** A command, and how the palette finds one. */

export interface Command {
  /** Unique among all: `page sources`, `stop 12`. */
  id: string;
  /** The words that are looked for and read: `Stop Sunday service`. */
  name: string;
  /** The second, softer line: `Live stream, on air`. */
  details?: string;
  /** The key that does the same, as it is shown. */
  keyHint?: string;
  run: () => void;
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
