/** The commands of people who run broadcasts. Each loads its own code when it runs. */
import { Argument, Option } from 'commander';
import { RECURRENCE_TYPES } from '../../domain/time/recurrence.ts';
import type { ProgramCommand } from '../command.ts';
import type { Shell } from '../completion/scripts.ts';
import type { LoginFlags } from '../login/login.ts';
import { FORMATS, type FormatFlags } from '../output/format.ts';
import type { WatchFlags } from '../output/watch.ts';
import type { AirFlags } from './air.ts';
import type { LogFlags } from './logs.ts';
import type { ScheduleFlags } from './schedule.ts';
import { answering, calling, watching } from './options.ts';

export function addVerbs(program: ProgramCommand): void {
  program.commandsGroup('Broadcasts:');
  addReads(program);
  addActs(program);
  addPictureActs(program);
  program.commandsGroup('This terminal:');
  addSignIn(program);
}

function addReads(program: ProgramCommand): void {
  watching(program.command('status [livestream]'))
    .description('what is on air, or how one Live stream is doing')
    .example('onair status --watch', 'onair status "Sunday service" -o json')
    .action(async (livestream: string | undefined, flags: WatchFlags) =>
      (await import('./status.ts')).status(livestream, flags),
    );
  calling(program.command('logs <livestream>'))
    .description('the event log of a Live stream')
    .example('onair logs "Sunday service" --follow --since 10m')
    .option('-f, --follow', 'go on with what is added, until Ctrl-C; a restart of the server is waited for')
    .option('-w, --watch', 'the same as --follow')
    .option('--since <time>', '10m or 2h ago, or a time: 9:30, "yesterday 20:00", 2026-11-29')
    .addOption(new Option('-o, --output <form>', 'form of the answer (default: table)').choices(FORMATS))
    .option('--json [fields]', 'these fields as JSON, separated by commas; without fields one JSON object a line')
    .action(async (livestream: string, flags: LogFlags) => (await import('./logs.ts')).logs(livestream, flags));
  watching(program.command('ls <resource>'))
    .description('list what there is: livestreams, channels, destinations, schedules, recordings, assets …')
    .example('onair ls channels', 'onair ls livestreams --json id,name')
    .action(async (resource: string, flags: WatchFlags) => (await import('./ls.ts')).ls(resource, flags));
  answering(program.command('watch <livestream>'))
    .description('where a broadcast on air can be watched')
    .example('onair watch "Sunday service"')
    .option('--open', 'open it there too')
    .action(async (livestream: string, flags: FormatFlags & { open?: boolean }) =>
      (await import('./watch.ts')).watchBroadcast(livestream, flags),
    );
  calling(program.command('preview <livestream> [file]'))
    .description('what viewers see now, or saw, as a JPEG: into the file, or into a pipe')
    .example('onair preview "Sunday service" now.jpg', 'onair preview "Sunday service" then.jpg --at 20:14')
    .option('--at <time>', 'the picture that was kept last before: 10m ago, or a time: 9:30, "yesterday 20:00"')
    .action(async (livestream: string, file: string | undefined, flags: { at?: string }) =>
      (await import('./preview.ts')).preview(livestream, file, flags),
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
    .example('onair start "Sunday service"')
    .action(async (livestream: string, flags: AirFlags) => (await import('./air.ts')).start(livestream, flags));
  waiting(program.command('stop <livestream>'))
    .description('take a Live stream off air, and wait until its Recording is closed')
    .example('onair stop "Sunday service"')
    .action(async (livestream: string, flags: AirFlags) => (await import('./air.ts')).stop(livestream, flags));
  answering(program.command('schedule <livestream>'))
    .description('plan a Live stream; times are by the clock of the zone of the server')
    .example('onair schedule "Sunday service" --start "sunday 10:00" --end +90m')
    .requiredOption('--start <time>', 'such as "tomorrow 20:00", "2026-11-29 10:00" or +90m')
    .requiredOption('--end <time>', 'likewise; +90m and a time of day count from the start')
    .addOption(new Option('--recurrence <rule>', 'how it repeats (default: none)').choices(RECURRENCE_TYPES))
    .option('--dry-run', 'only tell when it would be on air')
    .action(async (livestream: string, flags: ScheduleFlags) =>
      (await import('./schedule.ts')).schedule(livestream, flags),
    );
  answering(program.command('record <livestream>'))
    .addArgument(new Argument('<way>', 'on or off').choices(['on', 'off']))
    .description('begin or end the recording of a broadcast on air')
    .example('onair record "Sunday service" on')
    .action(async (livestream: string, way: string, flags: FormatFlags) =>
      (await import('./live.ts')).record(livestream, way, flags),
    );
}

/** Changes of what viewers see; each but the switch is ended by `off`. */
function addPictureActs(program: ProgramCommand): void {
  answering(program.command('switch <livestream> <channel>'))
    .description('cut a broadcast on air to another Channel')
    .example('onair switch "Sunday service" "Camera 2"')
    .action(async (livestream: string, channel: string, flags: FormatFlags) =>
      (await import('./live.ts')).switchSource(livestream, channel, flags),
    );
  answering(program.command('logo <livestream> <file> [position]'))
    .description('show a logo, an Asset or a file here, such as logo.png top-right; off takes it away')
    .example('onair logo "Sunday service" logo.png top-right', 'onair logo "Sunday service" off')
    .action(async (livestream: string, file: string, position: string | undefined, flags: FormatFlags) =>
      (await import('./live.ts')).showLogo(livestream, file, position, flags),
    );
  answering(program.command('text <livestream> <words...>'))
    .description('show a text over the picture, %H:%M is the time; off takes it away')
    .example('onair text "Sunday service" Back in five minutes', 'onair text "Sunday service" off')
    .action(async (livestream: string, words: string[], flags: FormatFlags) =>
      (await import('./live.ts')).showText(livestream, words, flags),
    );
  answering(program.command('black <livestream> [off]'))
    .description('show black in place of the programme, or with off the programme again')
    .example('onair black "Sunday service"', 'onair black "Sunday service" off')
    .action(async (livestream: string, off: string | undefined, flags: FormatFlags) =>
      (await import('./live.ts')).goBlack(livestream, off, flags),
    );
  answering(program.command('cue <livestream>'))
    .addArgument(new Argument('<way>', 'out or in').choices(['out', 'in']))
    .argument('[seconds]', 'length of the break')
    .description('begin (out) or end (in) an ad break')
    .example('onair cue "Sunday service" out 30', 'onair cue "Sunday service" in')
    .action(async (livestream: string, way: string, seconds: string | undefined, flags: FormatFlags) =>
      (await import('./live.ts')).sendCue(livestream, way, seconds, flags),
    );
}

function addSignIn(program: ProgramCommand): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .description('print what the shell loads to complete commands, flags and names')
    .example('source <(onair completion bash)')
    .action(async (shell: Shell) => (await import('../completion/scripts.ts')).printScript(shell));
  program
    .command('login <url>')
    .description('keep a token for a server, and speak to that server from now on; the token comes by stdin')
    .example(
      'onair login https://studio.example.com < token.txt',
      'onair login https://studio.example.com --username anna',
    )
    .option('--username <name>', 'sign in with a password (by stdin) and have a token made')
    .option('--expires-days <days>', 'days until that token ends', '90')
    .action(async (url: string, flags: LoginFlags) => (await import('../login/login.ts')).login(url, flags));
  program
    .command('logout [server]')
    .description('revoke the token that onair login has made, and keep none for the server any more')
    .example('onair logout studio.example.com')
    .action(async (server: string | undefined) => (await import('../login/login.ts')).logout(server));
  const context = program.command('context').description('servers that a token is kept for');
  answering(context.command('ls'))
    .description('list them, and which one is in force')
    .example('onair context ls')
    .action(async (flags: FormatFlags) => (await import('../login/contexts.ts')).showContexts(flags));
  context
    .command('use <server>')
    .description('speak to this one from now on')
    .example('onair context use studio.example.com')
    .action(async (server: string) => (await import('../login/contexts.ts')).takeContext(server));
  context
    .command('rm <server>')
    .description('keep no token for this one any more, without revoking it')
    .example('onair context rm studio.example.com')
    .action(async (server: string) => (await import('../login/contexts.ts')).forgetContext(server));
}
