/** The words that can stand where a person presses Tab: commands, flags, values of both, and names that the server knows. */
import type { CommandTree, OperationTree } from './trees.ts';

export interface Candidate {
  word: string;
  about?: string;
}

/** Names that only a server knows, by what they name; `livestreamId` stands for ids. */
export type LiveNames = (kind: string) => Promise<Candidate[]>;

export interface Trees {
  commands: CommandTree;
  /** Loaded when an operation is called. */
  operations: () => Promise<OperationTree>;
  live: LiveNames;
}

type Flag = CommandTree['flags'][number];

/** `words` are those after the name of the program; the last one is being typed, and may be empty. */
export async function candidatesFor(words: readonly string[], trees: Trees): Promise<Candidate[]> {
  const typed = words.at(-1) ?? '';
  const { command, operands, open } = walk(words.slice(0, -1), trees.commands);
  const found = await (isCall(command, operands)
    ? fieldCandidates(operands, typed, command, trees)
    : commandCandidates(command, operands, open, typed, trees));
  return found.filter(({ word }) => fits(word, typed));
}

/** A name may be typed in small letters. */
function fits(word: string, typed: string): boolean {
  return word.toLowerCase().startsWith(typed.toLowerCase());
}

interface Place {
  command: CommandTree;
  operands: string[];
  /** The flag whose value is next. */
  open: Flag | undefined;
}

function walk(words: readonly string[], root: CommandTree): Place {
  const place: Place = { command: root, operands: [], open: undefined };
  const before: CommandTree[] = [root];
  for (const word of words) {
    if (place.open !== undefined) {
      place.open = undefined;
      continue;
    }
    // All words after an operation are the operation's own.
    if (isCall(place.command, place.operands)) {
      place.operands.push(word);
      continue;
    }
    if (word.startsWith('-')) {
      const flag = before.flatMap(({ flags }) => flags).find(({ names }) => names.includes(word));
      place.open = flag?.value === undefined ? undefined : flag;
      continue;
    }
    const next = place.operands.length === 0 ? place.command.commands.find(({ name }) => name === word) : undefined;
    if (next === undefined) place.operands.push(word);
    else {
      place.command = next;
      before.push(next);
    }
  }
  return place;
}

function isCall({ name }: CommandTree, operands: readonly string[]): boolean {
  return name === 'call' && operands.length > 0;
}

async function commandCandidates(
  { commands, flags, operands: places }: CommandTree,
  operands: readonly string[],
  open: Flag | undefined,
  typed: string,
  trees: Trees,
): Promise<Candidate[]> {
  if (open !== undefined) return valuesOf(open.value ?? '', open.choices, trees);
  if (typed.startsWith('-'))
    return flags.flatMap(({ names, about }) =>
      names.filter((name) => name.startsWith('--')).map((word) => ({ word, about })),
    );
  if (commands.length > 0 && operands.length === 0) return commands.map(({ name, about }) => ({ word: name, about }));
  const place = places[operands.length] ?? (places.at(-1)?.isVariadic === true ? places.at(-1) : undefined);
  return place === undefined ? [] : valuesOf(place.name, place.choices, trees);
}

async function valuesOf(name: string, choices: readonly string[] | undefined, trees: Trees): Promise<Candidate[]> {
  if (choices !== undefined) return choices.map((word) => ({ word }));
  if (name !== 'operation' && name !== 'query') return trees.live(name);
  const operations = await trees.operations();
  return Object.entries(operations).map(([word, { about }]) => ({ word, about }));
}

/** The fields of an operation, and the values of one. */
async function fieldCandidates(
  operands: readonly string[],
  typed: string,
  { flags }: CommandTree,
  trees: Trees,
): Promise<Candidate[]> {
  const [operation = '', ...words] = operands;
  const fields = (await trees.operations())[operation]?.fields ?? {};
  const last = words.at(-1) ?? '';
  const field = last.startsWith('--') ? last.slice(2) : '';
  if (field !== '' && !typed.startsWith('-')) {
    const own = flags.find(({ names }) => names.includes(last));
    if (own?.value !== undefined) return valuesOf(own.value, own.choices, trees);
    return valuesOf(field, fields[field]?.choices, trees);
  }
  const given = new Set(words.filter((word) => word.startsWith('--')));
  return Object.entries(fields)
    .map(([name, { about }]) => ({ word: `--${name}`, about }))
    .filter(({ word }) => !given.has(word));
}
