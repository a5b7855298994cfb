/** The flags that commands for people share. */
import { Option } from 'commander';
import type { ProgramCommand } from '../command.ts';
import { FORMATS } from '../output/format.ts';

/** A command that speaks to a server. */
export function calling(command: ProgramCommand): ProgramCommand {
  return command.option('--context <server>', 'the server to speak to, one of onair context ls');
}

/** A command that answers. */
export function answering(command: ProgramCommand): ProgramCommand {
  return calling(command)
    .addOption(new Option('-o, --output <form>', 'form of the answer (default: table)').choices(FORMATS))
    .option('--json <fields>', 'these fields as JSON, separated by commas');
}

/** A command that reads, and may go on to. */
export function watching(command: ProgramCommand): ProgramCommand {
  return answering(command)
    .option('-w, --watch', 'go on until Ctrl-C: redrawn on a terminal, again at each change elsewhere')
    .option('--interval <seconds>', 'between two looks of --watch', '1');
}
