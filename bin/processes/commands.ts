/** The commands that are processes of an installation, and what every program of ours begins with. */
import { ProgramCommand } from '../command.ts';
import { handOnEnvironment } from '../environment.ts';
import { reportFailure } from '../failure.ts';
import { VERSION } from '../version.ts';

export const SETTINGS_FILE = ['--config <file>', 'settings file (default: ~/.config/onair/config.json)'] as const;

/** The Device agent starts these and has read its settings already: no variable of its environment may end a broadcast. */
const INTERNAL = new Set(['runner', 'spare', 'media', 'push', 'feeder']);

/** The program without a command. */
export function emptyProgram(): ProgramCommand {
  return (
    new ProgramCommand('onair')
      .description('Controls live-streaming broadcasts: MCP, REST, CLI.')
      .version(VERSION)
      .option(...SETTINGS_FILE)
      .option('--context <server>', 'the server to speak to, one of onair context ls')
      .enablePositionalOptions()
      // The names of the commands take half of a line; descriptions are wrapped beside them all the same.
      .configureHelp({ minWidthToWrap: 24 })
      .showHelpAfterError('onair --help lists the commands, onair <command> --help says how one is called.')
      // --config and --context count for the command and for all that it starts, whether they are written before the command or behind it.
      .hook('preAction', async (program, command) => {
        if (INTERNAL.has(command.name())) return;
        const [{ assertNoNearMiss }, { commandLine, typed }] = await Promise.all([
          import('../settings/config.ts'),
          import('../settings/config-folder.ts'),
        ]);
        // Commands that read no settings check their names too: nobody would hear of a mistyped one otherwise.
        assertNoNearMiss(process.env);
        typed.words = typedWords(program);
        const { config, context } = command.optsWithGlobals<{ config?: string; context?: string }>();
        if (context === undefined) delete commandLine.context;
        else commandLine.context = context;
        if (config === undefined) return;
        commandLine.config = config;
        command.setOptionValue('config', config);
      })
  );
}

/** The words behind the name of the program. */
function typedWords(program: object): readonly string[] {
  const { rawArgs = [] } = program as { rawArgs?: readonly string[] };
  return rawArgs.slice(rawArgs[1] === process.argv[1] ? 2 : 0);
}

/** Carries out the command line of this process. Never rejects. */
export async function run(program: ProgramCommand): Promise<void> {
  handOnEnvironment();
  try {
    await program.parseAsync();
  } catch (error) {
    reportFailure(error);
  }
}

/** Gives a command the settings of a server as flags. */
export function withServerFlags(command: ProgramCommand): ProgramCommand {
  return command
    .option(...SETTINGS_FILE)
    .option('--data <folder>', 'data folder (ONAIR_DATA)')
    .option('--host <address>', 'address to listen on (ONAIR_HOST, 127.0.0.1)')
    .option('--port <number>', 'port, 0 = any (ONAIR_PORT, 8090)')
    .option('--media-port <number>', "port of the Device's HTTP delivery, 0 = any (ONAIR_MEDIA_PORT, port + 1)")
    .option('--public-url <url>', 'URL under which viewers and callers reach this server (ONAIR_PUBLIC_URL)')
    .option('--tls-cert <file>', 'certificate to speak TLS with (ONAIR_TLS_CERT)')
    .option('--tls-key <file>', 'private key of the certificate (ONAIR_TLS_KEY)')
    .option('--http-port <number>', 'port that redirects plain HTTP to TLS (ONAIR_HTTP_PORT)')
    .option('--timezone <zone>', 'IANA zone of Schedules (ONAIR_TIMEZONE)')
    .option('--profile <name>', 'tool profile: voice, readonly, operator, full (TOOL_PROFILE)')
    .option('--log-level <level>', 'debug, info, warn, error (ONAIR_LOG_LEVEL)');
}

export function addServe(program: ProgramCommand): void {
  withServerFlags(
    program.command('serve').description('run the control plane').example('onair serve --data /srv/onair --port 8090'),
  ).action(async (flags: Record<string, unknown>) => {
    const [{ serve }, { loadConfig }] = await Promise.all([import('../serve.ts'), import('../settings/config.ts')]);
    await serve(loadConfig(flags, process.env, process.cwd()));
  });
}

export function addDevice(program: ProgramCommand): void {
  const device = program.command('device').description('the Device agent of this machine').enablePositionalOptions();
  withServerFlags(
    device
      .command('run', { isDefault: true })
      .description('run the agent in the foreground')
      .example('onair device run --join studio.example.com --token-file join.txt'),
  )
    .option('--dir <folder>', 'device folder (default: <data>/device)')
    .option('--listen <address:port>', 'serve a control plane on another machine too, once it is paired (port 8092)')
    .option('--join <addresses>', 'dial these servers, with commas between, and join them at the first time')
    .option('--token-file <file>', 'file with the join token (ONAIR_JOIN_TOKEN)')
    .action(async (flags: Record<string, unknown>) => (await import('../device.ts')).runDevice(flags));
  withServerFlags(
    device
      .command('unpair')
      .description('forget the control plane of another machine; shows new credentials')
      .example('onair device unpair'),
  )
    .option('--dir <folder>', 'device folder (default: <data>/device)')
    .action(async (flags: Record<string, unknown>) => (await import('../device.ts')).unpairDevice(flags));
  withServerFlags(
    device
      .command('stop')
      .description('end every broadcast of this machine and the agent')
      .example('onair device stop'),
  ).action(async (flags: Record<string, unknown>) => (await import('../device.ts')).stopDevice(flags));
  withServerFlags(device.command('status').description('what the agent runs').example('onair device status')).action(
    async (flags: Record<string, unknown>) => (await import('../device.ts')).deviceStatus(flags),
  );
}

export function addRunner(program: ProgramCommand): void {
  program
    .command('runner <deviceDir> <runId>', { hidden: true })
    .action(async (deviceDir: string, runId: string) =>
      (await import('../../device/runner/main.ts')).runRunner(deviceDir, runId),
    );
  program
    .command('spare <deviceDir>', { hidden: true })
    .action(async (deviceDir: string) => (await import('../../device/runner/standby.ts')).runStandby(deviceDir));
}

export function addFeeder(program: ProgramCommand): void {
  program
    .command('feeder <order>', { hidden: true })
    .action(async (order: string) => (await import('../../device/feeder/main.ts')).runFeeder(order));
}

export function addPush(program: ProgramCommand): void {
  program
    .command('push <deviceDir>', { hidden: true })
    .action(async (deviceDir: string) => (await import('../../device/push/main.ts')).runPush(deviceDir));
}

export function addMedia(program: ProgramCommand): void {
  program.command('media', { hidden: true }).action(async () => (await import('../server/media.ts')).runMedia());
}
