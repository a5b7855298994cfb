/** The commands of `onair`. Each loads its own code, so that a short one never waits for the rest. */
import { Option } from 'commander';
import { ProgramCommand } from './command.ts';
import type { IssueFlags } from './license.ts';
import type { LogFlags } from './logs.ts';
import type { CallFlags, TokenFlags } from './people.ts';
import type { StatusFlags } from './status.ts';
import type { NewUserFlags } from './users.ts';
import { VERSION } from './version.ts';

const SETTINGS_FILE = ['--config <file>', 'settings file (default: ~/.config/onair/config.json)'] as const;

/** The Device agent starts these and has read its settings already: no variable of its environment may end a broadcast. */
const INTERNAL = new Set(['runner', 'spare', 'media', 'push']);

export const program = new ProgramCommand('onair')
  .description('Controls live-streaming broadcasts: MCP, REST, CLI.')
  .version(VERSION)
  .option(...SETTINGS_FILE)
  .enablePositionalOptions()
  .showHelpAfterError()
  // --config counts for the command and for all that it starts, whether it is written before the command or behind it.
  .hook('preAction', async (_program, command) => {
    if (INTERNAL.has(command.name())) return;
    const { assertNoNearMiss, commandLine } = await import('./config.ts');
    // Commands that read no settings check their names too: nobody would hear of a mistyped one otherwise.
    assertNoNearMiss(process.env);
    const { config } = command.optsWithGlobals<{ config?: string }>();
    if (config === undefined) return;
    commandLine.config = config;
    command.setOptionValue('config', config);
  });

const server = (command: ProgramCommand): ProgramCommand =>
  command
    .option(...SETTINGS_FILE)
    .option('--data <folder>', 'data folder (ONAIR_DATA)')
    .option('--host <address>', 'address to listen on (ONAIR_HOST, 127.0.0.1)')
    .option('--port <number>', 'port, 0 = any (ONAIR_PORT, 8090)')
    .option('--media-port <number>', "port of the Device's HTTP delivery, 0 = any (ONAIR_MEDIA_PORT, port + 1)")
    .option('--public-url <url>', 'URL under which viewers and callers reach this server (ONAIR_PUBLIC_URL)')
    .option('--timezone <zone>', 'IANA zone of Schedules (ONAIR_TIMEZONE)')
    .option('--profile <name>', 'tool profile: voice, readonly, operator, full (TOOL_PROFILE)')
    .option('--log-level <level>', 'debug, info, warn, error (ONAIR_LOG_LEVEL)');

server(program.command('serve').description('run the control plane')).action(async (flags: Record<string, unknown>) => {
  const [{ serve }, { loadConfig }] = await Promise.all([import('./serve.ts'), import('./config.ts')]);
  await serve(loadConfig(flags, process.env, process.cwd()));
});

server(
  program.command('mcp').description('stdio MCP server for an assistant; starts the control plane when none runs'),
).action(async (flags: Record<string, unknown>) => {
  const [{ mcp }, { startInBackground }] = await Promise.all([import('./mcp.ts'), import('./background.ts')]);
  await mcp(flags, startInBackground);
});

const device = program.command('device').description('the Device agent of this machine').enablePositionalOptions();
server(device.command('run', { isDefault: true }).description('run the agent in the foreground'))
  .option('--dir <folder>', 'device folder (default: <data>/device)')
  .option('--listen <address:port>', 'serve a control plane on another machine too, once it is paired (port 8092)')
  .action(async (flags: Record<string, unknown>) => (await import('./device.ts')).runDevice(flags));
server(device.command('unpair').description('forget the control plane of another machine; shows new credentials'))
  .option('--dir <folder>', 'device folder (default: <data>/device)')
  .action(async (flags: Record<string, unknown>) => (await import('./device.ts')).unpairDevice(flags));
server(device.command('stop').description('end every broadcast of this machine and the agent')).action(
  async (flags: Record<string, unknown>) => (await import('./device.ts')).stopDevice(flags),
);
server(device.command('status').description('what the agent runs')).action(async (flags: Record<string, unknown>) =>
  (await import('./device.ts')).deviceStatus(flags),
);

program
  .command('runner <deviceDir> <runId>', { hidden: true })
  .action(async (deviceDir: string, runId: string) =>
    (await import('../device/runner/main.ts')).runRunner(deviceDir, runId),
  );
program
  .command('spare <deviceDir>', { hidden: true })
  .action(async (deviceDir: string) => (await import('../device/runner/standby.ts')).runStandby(deviceDir));
program
  .command('push <deviceDir>', { hidden: true })
  .action(async (deviceDir: string) => (await import('../device/push/main.ts')).runPush(deviceDir));
program.command('media', { hidden: true }).action(async () => (await import('./media.ts')).runMedia());

program
  .command('call <operation> [arguments...]')
  .description(
    'call an operation or workflow: onair call addChannel --name Studio --type Stream --settings.url https://…, or its arguments as JSON, or - for JSON on stdin',
  )
  .option('--idempotency-key <key>', 'repeats of the same call answer what the first one did')
  .option('-q, --quiet', 'tell no progress on stderr while a start or stop is waited for')
  .passThroughOptions()
  .allowUnknownOption()
  .action(async (operation: string, words: string[], flags: CallFlags) =>
    (await import('./people.ts')).call(operation, words, flags),
  );

program
  .command('tools [query...]')
  .description('list the operations, or those that match the words')
  .action(async (words: string[]) => (await import('./people.ts')).listTools(words));

const token = program.command('token').description('API tokens');
token
  .command('create <name>')
  .option('--expires-days <days>', 'days until it expires; left out: never')
  .option('--profile <name>', 'allow only what this tool profile does: voice, readonly, operator, full')
  .option('--operations <names>', 'allow only these operationIds, with commas between')
  .description('create a token; it is shown once')
  .action(async (name: string, flags: TokenFlags) => (await import('./people.ts')).createToken(name, flags));
token
  .command('list')
  .description('list the tokens')
  .action(async () => (await import('./people.ts')).listTokens());
token
  .command('revoke <kid>')
  .description('revoke a token; it stops working at once')
  .action(async (kid: string) => (await import('./people.ts')).revokeToken(kid));

const PASSWORD_STDIN = ['--password-stdin', 'read the password from stdin instead of asking for it'] as const;
const user = program.command('user').description('people who may sign in');
user
  .command('list')
  .description('list the users')
  .action(async () => (await import('./users.ts')).listUsers());
user
  .command('add <username>')
  .requiredOption('--email <address>', 'e-mail address')
  .option('--first-name <name>', 'first name')
  .option('--last-name <name>', 'last name')
  .addOption(new Option('--role <role>', 'what the user may do').choices(['admin', 'operator']).default('operator'))
  .option('--no-password', 'API tokens only: the user cannot sign in')
  .option(...PASSWORD_STDIN)
  .description('create a user; the password is asked for')
  .action(async (username: string, flags: NewUserFlags) => (await import('./users.ts')).addUser(username, flags));
user
  .command('password <username>')
  .option(...PASSWORD_STDIN)
  .description('set a new password; other sessions of the user end')
  .action(async (username: string, flags: { passwordStdin?: boolean }) =>
    (await import('./users.ts')).setPassword(username, flags),
  );
for (const [word, active] of [
  ['disable', false],
  ['enable', true],
] as const) {
  user
    .command(`${word} <username>`)
    .description(active ? 'let a user in again' : 'shut a user out: sessions end, tokens are refused')
    .action(async (username: string) => (await import('./users.ts')).setActive(username, active));
}

program
  .command('status [livestream]')
  .description('what is on air')
  .option('-w, --watch', 'go on until Ctrl-C: redrawn on a terminal, a line a change elsewhere')
  .option('--interval <seconds>', 'between two looks of --watch', '1')
  .action(async (livestream: string | undefined, flags: StatusFlags) =>
    (await import('./status.ts')).status(livestream, flags),
  );
program
  .command('logs <livestream>')
  .description('the event log of a Live stream, by id or name')
  .option('-f, --follow', 'go on with what is added, until Ctrl-C; a restart of the server is waited for')
  .option('--since <time>', '90s, 10m, 2h or 1d ago, or a time such as 2026-05-01T20:00Z')
  .option('--json', 'one JSON object a line')
  .action(async (livestream: string, flags: LogFlags) => (await import('./logs.ts')).logs(livestream, flags));

program
  .command('upload <file>')
  .requiredOption('--type <bucket>', 'logos, files or clips')
  .option('--name <filename>', 'name of the Asset (default: that of the file)')
  .description('upload a file of any size as an Asset')
  .action(async (file: string, flags: { type: string; name?: string }) =>
    (await import('./upload.ts')).upload(file, flags),
  );

const license = program.command('license').description('licence files: make a key, issue, look into one');
license
  .command('keygen')
  .requiredOption('--out <folder>', 'folder for private.pem and public.pem; nothing is overwritten')
  .description('make the key pair that licences are signed with')
  .action(async (flags: { out: string }) => (await import('./license.ts')).createLicenseKey(flags));
license
  .command('issue')
  .requiredOption('--key <file>', 'private key (PEM)')
  .requiredOption('--customer <name>', 'who it is for')
  .requiredOption('--features <list>', 'editor, videosite, cloud, channels, publishing_points; comma-separated')
  .option('--quantity <number>', 'for channels and publishing_points: how many (default: 1)')
  .option('--expires <date>', 'date (its beginning, UTC) or instant; left out: never')
  .option('--id <serial>', 'serial; a later file of the same serial replaces the earlier (default: a new one)')
  .option('--out <file>', 'file to write (default: stdout)')
  .description('sign a licence file')
  .action(async (flags: IssueFlags) => (await import('./license.ts')).issueLicense(flags));
license
  .command('show <file>')
  .option('--key <file>', 'public key to check it against (ONAIR_LICENSE_KEY)')
  .description('what a licence file says, and whether a server would take it')
  .action(async (file: string, flags: { key?: string }) => (await import('./license.ts')).showLicense(file, flags));

server(
  program.command('export <file>').description('write the whole store as one JSON file; the server must be stopped'),
).action(async (file: string, flags: Record<string, unknown>) =>
  (await import('./transfer.ts')).exportStore(file, flags),
);
server(
  program.command('import <file>').description('fill an empty store from an exported file; the server must be stopped'),
).action(async (file: string, flags: Record<string, unknown>) =>
  (await import('./transfer.ts')).importStore(file, flags),
);
