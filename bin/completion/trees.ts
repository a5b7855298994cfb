/** The commands and operations as completion knows them, without loading either: both files are written by `npm run gen`. */
import commands from '../gen/commands.json' with { type: 'json' };

export interface CommandTree {
  name: string;
  about: string;
  flags: { names: string[]; about: string; value?: string; choices?: string[] }[];
  operands: { name: string; choices?: string[]; isVariadic?: boolean }[];
  commands: CommandTree[];
}

export type OperationTree = Record<
  string,
  { about: string; fields: Record<string, { about: string; choices?: string[] }> }
>;

export const COMMANDS: CommandTree = commands;

export async function loadOperations(): Promise<OperationTree> {
  return (await import('../gen/operations.json', { with: { type: 'json' } })).default as OperationTree;
}
