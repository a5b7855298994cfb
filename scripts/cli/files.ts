/** bin/gen/: the commands and operations as completion and help know them, without loading what defines them. */
import type { CommandTree, OperationTree } from '../../bin/completion/trees.ts';
import { fieldsOf } from '../../bin/help/fields.ts';
import { program } from '../../bin/program.ts';
import { RESOURCES } from '../../bin/verbs/resources.ts';
import type { Tool } from '../../toolkit/tool.ts';

type Command = typeof program;

export function cliFiles(tools: readonly Tool[]): Map<string, string> {
  return new Map([
    ['bin/gen/commands.json', JSON.stringify(treeOf(program))],
    ['bin/gen/operations.json', JSON.stringify(operationsOf(tools))],
  ]);
}

function treeOf(command: Command): CommandTree {
  const help = command.createHelp();
  return {
    name: command.name(),
    about: firstPart(command.description()),
    flags: help.visibleOptions(command).map((option) => ({
      names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
      about: firstPart(option.description),
      ...((option.required || option.optional) && { value: placeholderOf(option.flags) }),
      ...(option.argChoices && { choices: option.argChoices }),
    })),
    operands: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      ...(argument.argChoices && { choices: argument.argChoices }),
      ...(argument.name() === 'resource' && { choices: Object.keys(RESOURCES) }),
      ...(argument.variadic && { isVariadic: true }),
    })),
    commands: help
      .visibleCommands(command)
      .filter((each) => each.name() !== 'help')
      .map((each) => treeOf(each as Command)),
  };
}

/** The name in `--context <server>`. */
function placeholderOf(flags: string): string {
  return /[<[]([^>\]]+)[>\]]/u.exec(flags)?.[1] ?? '';
}

function operationsOf(tools: readonly Tool[]): OperationTree {
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      {
        about: tool.summary,
        fields: Object.fromEntries(
          fieldsOf(tool).map(({ path, about, choices }) => [
            path,
            { about: firstPart(about), ...(choices && { choices }) },
          ]),
        ),
      },
    ]),
  );
}

/** A shell shows one line. */
function firstPart(text: string): string {
  return text.split(/[.;] /u)[0] ?? '';
}
