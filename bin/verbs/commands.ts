/** The commands of people who run broadcasts. Each loads its own code when it runs. */
import { Option } from 'commander';
import type { ProgramCommand } from '../command.ts';
import type { LoginFlags } from '../login/login.ts';
import { FORMATS, type FormatFlags } from '../output/format.ts';
import type { WatchFlags } from '../output/watch.ts';
import type { AirFlags } from './air.ts';
import type { LogFlags } from './logs.ts';
import { answering, calling, watching } from './options.ts';

export function addVerbs(program: ProgramCommand): void {
  addReads(program);
  addActs(program);
  addSignIn(program);
}

function addReads(program: ProgramCommand): void {
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
  calling(program.command('preview <livestream> [file]'))
    .description('what viewers see now, as a JPEG: into the file, or into a pipe')
    .action(async (livestream: string, file: string | undefined) =>
      (await import('./preview.ts')).preview(livestream, file),
    );
}

function addActs(program: ProgramCommand): void {
  const waiting = (command: ProgramCommand): ProgramCommand =>
    answering(command)
      .option('--wait <seconds>', 'longest wait for the outcome, 0-240', '60')
      .option('--dry-run', 'only tell what it would do')
      .option('-q, --quiet', 'tell no progress on stderr');
  waiting(program.command('start <livestream>'))
    .description('put a Live stream on air, and wait until viewers can see it')
    .action(async (livestream: string, flags: AirFlags) => (await import('./air.ts')).start(livestream, flags));
  waiting(program.command('stop <livestream>'))
    .description('take a Live stream off air, and wait until its Recording is closed')
    .action(async (livestream: string, flags: AirFlags) => (await import('./air.ts')).stop(livestream, flags));
  calling(program.command('switch <livestream> <channel>'))
    .description('cut a broadcast on air to another Channel')
    .action(async (livestream: string, channel: string) =>
      (await import('./live.ts')).switchSource(livestream, channel),
    );
}

function addSignIn(program: ProgramCommand): void {
  program
    .command('login <url>')
    .description('keep a token for a server, and speak to that server from now on; the token comes by stdin')
    .option('--username <name>', 'sign in with a password (by stdin) and have a token made')
    .action(async (url: string, flags: LoginFlags) => (await import('../login/login.ts')).login(url, flags));
  const context = program.command('context').description('servers that a token is kept for');
  answering(context.command('ls'))
    .description('list them, and which one is in force')
    .action(async (flags: FormatFlags) => (await import('../login/contexts.ts')).showContexts(flags));
  context
    .command('use <server>')
    .description('speak to this one from now on')
    .action(async (server: string) => (await import('../login/contexts.ts')).takeContext(server));
}
