/** The commands of the program, for the documents that are written from them. */
import type { ProgramCommand } from '../../bin/command.ts';

export type Command = ProgramCommand;

/** Those that the help shows, each before its own subcommands. */
export function commandsOf(command: Command): Command[] {
  return childrenOf(command).flatMap((each) => [each, ...commandsOf(each)]);
}

export function childrenOf(command: Command): Command[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.filter((each) => each.name() !== 'help') as Command[];
}

export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent as Command)} ${command.name()}`;
}
