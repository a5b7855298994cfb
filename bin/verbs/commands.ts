/** The commands of people who run broadcasts. Each loads its own code when it runs. */
import type { ProgramCommand } from '../command.ts';
import type { WatchFlags } from '../output/watch.ts';
import type { LogFlags } from './logs.ts';
import { calling, watching } from './options.ts';
import { Option } from 'commander';
import { FORMATS } from '../output/format.ts';

export function addVerbs(program: ProgramCommand): void {
  watching(program.command('status [livestream]'))
    .description('what is on air, or how one Live stream is doing')
    .action(async (livestream: string | undefined, flags: WatchFlags) =>
      (await import('./status.ts')).status(livestream, flags),
    );
  calling(program.command('logs <livestream>'))
    .description('the event log of a Live stream')
    .option('-f, --follow', 'go on with what is added, until Ctrl-C; a restart of the server is waited for')
    .option('-w, --watch', 'the same as --follow')
    .option('--since <time>', '90s, 10m, 2h or 1d ago, or a time such as 2026-05-01T20:00Z')
    .addOption(new Option('-o, --output <form>', 'form of the answer (default: table)').choices(FORMATS))
    .option('--json [fields]', 'these fields as JSON, separated by commas; without fields one JSON object a line')
    .action(async (livestream: string, flags: LogFlags) => (await import('./logs.ts')).logs(livestream, flags));
}
