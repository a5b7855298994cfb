/** `onair call` calls any operation or workflow, as every other client does; `onair tools` finds them. */
import { operations } from '../../tools/index.ts';
import { createCatalogue } from '../../toolkit/catalogue.ts';
import { isList, restOf, type Tool } from '../../toolkit/tool.ts';
import { workflows } from '../../workflows/index.ts';
import { callOperation } from '../api.ts';
import { parseArguments, takeFlag, takeOption } from '../client/arguments.ts';
import type { Arguments, CallOptions } from '../client/call.ts';
import { commandLine } from '../settings/config-folder.ts';
import { target } from '../settings/target.ts';
import { usageOf } from '../help/usage.ts';
import { FORMATS, documentText, print, printRows, type FormatFlags } from '../output/format.ts';
import { progressLines } from '../output/progress.ts';
import { show, type WatchFlags } from '../output/watch.ts';
import { answerText } from './answer-text.ts';
import { choiceOf } from '../command.ts';

export interface CallFlags extends WatchFlags {
  idempotencyKey?: string;
  quiet?: boolean;
}

const catalogue = createCatalogue(operations, workflows);

function callNamed(operation: string, args: Arguments, options: CallOptions = {}): Promise<unknown> {
  return callOperation(target(), catalogue.get(operation), args, options);
}

export async function call(operation: string, words: string[], given: CallFlags): Promise<void> {
  const { flags, rest } = ownFlags(words, given);
  const tool = catalogue.find(operation);
  if (tool !== undefined && (rest.includes('--help') || rest.includes('-h'))) return print(usageOf(tool));
  const args = tool === undefined ? await unknownArguments(operation, rest) : parseArguments(tool, rest);
  const { idempotencyKey } = flags;
  const lines = flags.quiet === true ? undefined : progressLines();
  const options = { progress: lines?.show, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  const look = (): Promise<object> =>
    callNamed(operation, args ?? {}, options).finally(() => lines?.end()) as Promise<object>;
  try {
    if (tool?.effect === 'read' && flags.watch === true) await watchCall(tool, look, flags);
    else await printAnswer(tool, await look(), flags);
  } catch (error) {
    const { correctedCall } = await import('../client/correction.ts');
    throw await correctedCall(error, operation, args, catalogue, callNamed);
  }
}

/** Options of the command end where the operation begins, but these are as often written last. */
function ownFlags(words: string[], given: CallFlags): { flags: CallFlags; rest: string[] } {
  const key = takeOption(words, '--idempotency-key');
  const quiet = takeFlag(key.rest, ['-q', '--quiet']);
  const watch = takeFlag(quiet.rest, ['-w', '--watch']);
  const json = takeOption(watch.rest, '--json');
  const long = takeOption(json.rest, '--output');
  const short = takeOption(long.rest, '-o');
  const context = takeOption(short.rest, '--context');
  if (context.value !== undefined) commandLine.context = context.value;
  const output = short.value ?? long.value;
  return {
    rest: context.rest,
    flags: {
      ...given,
      ...(key.value !== undefined && { idempotencyKey: key.value }),
      ...(quiet.isSet && { quiet: true }),
      ...(watch.isSet && { watch: true }),
      ...(json.value !== undefined && { json: json.value }),
      ...(output !== undefined && { output: choiceOf('-o', output, FORMATS) }),
    },
  };
}

/** Without a form of its own the answer is the API's: programs read it. */
function hasForm({ output, json }: FormatFlags): boolean {
  return output !== undefined || json !== undefined;
}

async function printAnswer(tool: Tool | undefined, answer: object, flags: FormatFlags): Promise<void> {
  if (tool === undefined || !hasForm(flags)) return print(JSON.stringify(answer, null, 2));
  const value = contentOf(tool, answer);
  if (flags.output === 'table' && flags.json === undefined) return print(answerText(value));
  if (Array.isArray(value)) return printRows(value as object[], { columns: [], empty: '' }, flags);
  print(await documentText(value, flags));
}

function watchCall(tool: Tool, look: () => Promise<object>, flags: CallFlags): Promise<void> {
  const form: WatchFlags = hasForm(flags) ? flags : { ...flags, output: 'json' };
  return show({ look: async () => (hasForm(flags) ? contentOf(tool, await look()) : look()), text: answerText }, form);
}

/** The rows of a list, the one thing of any other answer. */
function contentOf(tool: Tool, answer: object): object {
  const { rows, data } = answer as { rows?: object[]; data?: object };
  return isList(tool) ? (rows ?? []) : (data ?? answer);
}

/** The answer is that there is no such operation, so arguments that cannot be parsed are no error of their own here. */
async function unknownArguments(operation: string, words: string[]): Promise<Arguments | undefined> {
  const { inputMeant } = await import('../client/correction.ts');
  try {
    return parseArguments({ input: inputMeant(operation, catalogue) }, words);
  } catch {
    // The answer that there is no such operation is given without the arguments.
    return undefined;
  }
}

interface ToolLine {
  operation: string;
  route: string;
  summary: string;
}

/** A name alone shows how that operation is called; other words list the operations that they fit. */
export async function listTools(words: string[], flags: FormatFlags): Promise<void> {
  const [name = ''] = words;
  const named = words.length === 1 ? catalogue.find(name) : undefined;
  if (named !== undefined && !hasForm(flags)) return print(usageOf(named));
  const queryWords = words.map((word) => word.toLowerCase());
  const rows = [...catalogue.workflows, ...catalogue.operations]
    .filter((tool) =>
      queryWords.every((word) =>
        `${tool.name} ${tool.summary} ${tool.tag} ${tool.aliases.join(' ')}`.toLowerCase().includes(word),
      ),
    )
    .map((tool): ToolLine => ({ operation: tool.name, route: restOf(tool), summary: tool.summary }));
  const columns = [
    { head: 'OPERATION', cell: (row: ToolLine) => row.operation },
    { head: 'ROUTE', cell: (row: ToolLine) => row.route },
    { head: 'WHAT IT DOES', cell: (row: ToolLine) => row.summary },
  ];
  await printRows(rows, { columns, empty: 'No operation matches.' }, flags);
}
