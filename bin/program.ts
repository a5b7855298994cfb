/** The commands of `onair`. Each loads its own code, so that a short one never waits for the rest. */
import { Option } from 'commander';
import type { ProfileName } from '../domain/shapes/installation/security.ts';
import type { BackupFlags } from './backup/backup.ts';
import type { RestoreFlags } from './backup/restore.ts';
import type { ProgramCommand } from './command.ts';
import type { DoctorFlags } from './doctor/doctor.ts';
import type { IssueFlags } from './license.ts';
import type { FormatFlags } from './output/format.ts';
import type { CallFlags } from './verbs/call.ts';
import { addNew } from './new/commands.ts';
import {
  addDevice,
  addMedia,
  addFeeder,
  addPush,
  addRunner,
  addServe,
  emptyProgram,
  SETTINGS_FILE,
  withServerFlags,
} from './processes/commands.ts';
import { addVerbs } from './verbs/commands.ts';
import { answering, calling, watching } from './verbs/options.ts';
import type { TokenFlags } from './verbs/tokens.ts';
import type { NewUserFlags } from './verbs/users.ts';

export const program = emptyProgram();

addNew(program);
addVerbs(program);

program.commandsGroup('Server and Device:');
addServe(program);
withServerFlags(
  program
    .command('mcp')
    .description('stdio MCP server for an assistant; starts the control plane when none runs')
    .example('onair mcp --profile voice'),
).action(async (flags: Record<string, unknown>) => {
  const [{ mcp }, { startInBackground }] = await Promise.all([import('./mcp.ts'), import('./server/background.ts')]);
  await mcp(flags, startInBackground);
});

addDevice(program);
addRunner(program);
addPush(program);
addFeeder(program);
addMedia(program);

program.commandsGroup('API and users:');
watching(program.command('call <operation> [arguments...]'))
  .description(
    'call an operation or workflow by its arguments as flags, as JSON, or - for JSON on stdin; without -o or --json the answer is that of the API',
  )
  .example('onair call getAllChannels --search studio', 'onair call updateChannel --channelId 3 --name "Studio 2"')
  .option('--idempotency-key <key>', 'repeats of the same call answer what the first one did')
  .option('-q, --quiet', 'tell no progress on stderr while a start or stop is waited for')
  .passThroughOptions()
  .allowUnknownOption()
  .action(async (operation: string, words: string[], flags: CallFlags) =>
    (await import('./verbs/call.ts')).call(operation, words, flags),
  );

answering(program.command('tools [query...]'))
  .description('list the operations, those that match the words, or how the one of that name is called')
  .example('onair tools turn a destination off', 'onair tools addChannel')
  .action(async (words: string[], flags: FormatFlags) => (await import('./verbs/call.ts')).listTools(words, flags));

// The names stand here, because the schema that has them would make every command wait for it.
const PROFILES: readonly ProfileName[] = ['voice', 'readonly', 'operator', 'full'];
const token = program.command('token').description('API tokens');
answering(token.command('create <name>'))
  .option('--expires-days <days>', 'days until it expires; left out: never')
  .addOption(new Option('--profile <name>', 'allow only what this tool profile does').choices([...PROFILES]))
  .option('--operations <names>', 'allow only these operationIds, with commas between')
  .description('create a token; it is shown once')
  .example('onair token create monitoring --profile readonly --expires-days 90')
  .action(async (name: string, flags: TokenFlags) => (await import('./verbs/tokens.ts')).createToken(name, flags));
answering(token.command('list'))
  .description('list the tokens')
  .example('onair token list')
  .action(async (flags: FormatFlags) => (await import('./verbs/tokens.ts')).listTokens(flags));
answering(token.command('revoke <kid>'))
  .description('revoke a token; it stops working at once')
  .example('onair token revoke 3f9a51c2')
  .action(async (kid: string, flags: FormatFlags) => (await import('./verbs/tokens.ts')).revokeToken(kid, flags));

const fleet = program.command('fleet').description('all Devices at once');
answering(fleet.command('hold'))
  .description('let nothing be moved to another Device by itself, such as during work on the network')
  .example('onair fleet hold')
  .action(async (flags: FormatFlags) => (await import('./verbs/fleet.ts')).holdFleet(flags));
answering(fleet.command('release'))
  .description('let broadcasts be moved again')
  .example('onair fleet release')
  .action(async (flags: FormatFlags) => (await import('./verbs/fleet.ts')).releaseFleet(flags));

const PASSWORD_STDIN = ['--password-stdin', 'read the password from stdin instead of asking for it'] as const;
const user = program.command('user').description('people who may sign in');
answering(user.command('list'))
  .description('list the users')
  .example('onair user list')
  .action(async (flags: FormatFlags) => (await import('./verbs/users.ts')).listUsers(flags));
calling(user.command('add <username>'))
  .requiredOption('--email <address>', 'e-mail address')
  .option('--first-name <name>', 'first name')
  .option('--last-name <name>', 'last name')
  .addOption(new Option('--role <role>', 'what the user may do').choices(['admin', 'operator']).default('operator'))
  .option('--no-password', 'API tokens only: the user cannot sign in')
  .option(...PASSWORD_STDIN)
  .description('create a user; the password is asked for')
  .example('onair user add ben --email ben@example.com --role operator')
  .action(async (username: string, flags: NewUserFlags) => (await import('./verbs/users.ts')).addUser(username, flags));
calling(user.command('password <username>'))
  .option(...PASSWORD_STDIN)
  .description('set a new password; other sessions of the user end')
  .example('onair user password ben')
  .action(async (username: string, flags: { passwordStdin?: boolean }) =>
    (await import('./verbs/users.ts')).setPassword(username, flags),
  );
for (const [word, active] of [
  ['disable', false],
  ['enable', true],
] as const) {
  calling(user.command(`${word} <username>`))
    .description(active ? 'let a user in again' : 'shut a user out: sessions end, tokens are refused')
    .example(`onair user ${word} ben`)
    .action(async (username: string) => (await import('./verbs/users.ts')).setActive(username, active));
}

calling(program.command('upload <file>'))
  .requiredOption('--type <bucket>', 'logos, files or clips')
  .option('--name <filename>', 'name of the Asset (default: that of the file)')
  .description('upload a file of any size as an Asset')
  .example('onair upload opener.mp4 --type files')
  .action(async (file: string, flags: { type: string; name?: string }) =>
    (await import('./upload.ts')).upload(file, flags),
  );

program.commandsGroup('Installation:');
program
  .command('resolve-video <video>')
  .description('ask yt-dlp for the stream of a live video, by its id or address, as a VideoSite Live Channel does')
  .example('onair resolve-video aB3_dE5-gH7')
  .action(async (video: string) => (await import('./verbs/resolve-video.ts')).resolveVideo(video));
const license = program.command('license').description('licence files: make a key, issue, look into one');
license
  .command('keygen')
  .requiredOption('--out <folder>', 'folder for private.pem and public.pem; nothing is overwritten')
  .description('make the key pair that licences are signed with')
  .example('onair license keygen --out keys')
  .action(async (flags: { out: string }) => (await import('./license.ts')).createLicenseKey(flags));
license
  .command('issue')
  .requiredOption('--key <file>', 'private key (PEM)')
  .requiredOption('--customer <name>', 'who it is for')
  .requiredOption('--features <list>', 'editor, videosite, cloud, channels, publishing_points; comma-separated')
  .option('--without <feature>', 'cloud: no Live stream may start at a Cloud account')
  .option('--quantity <number>', 'for channels and publishing_points: how many (default: 1)')
  .option('--expires <date>', 'date (its beginning, UTC) or instant; left out: never')
  .option('--id <serial>', 'serial; a later file of the same serial replaces the earlier (default: a new one)')
  .option('--out <file>', 'file to write (default: stdout)')
  .description('sign a licence file')
  .example('onair license issue --key keys/private.pem --customer Example --features cloud')
  .action(async (flags: IssueFlags) => (await import('./license.ts')).issueLicense(flags));
license
  .command('show <file>')
  .option('--key <file>', 'public key to check it against (ONAIR_LICENSE_KEY)')
  .description('what a licence file says, and whether a server would take it')
  .example('onair license show example.licence --key keys/public.pem')
  .action(async (file: string, flags: { key?: string }) => (await import('./license.ts')).showLicense(file, flags));

withServerFlags(
  program
    .command('export <file>')
    .description('write the whole store as one JSON file; the server must be stopped')
    .example('onair export onair.json'),
).action(async (file: string, flags: Record<string, unknown>) =>
  (await import('./store/transfer.ts')).exportStore(file, flags),
);
withServerFlags(
  program
    .command('import <file>')
    .description('fill an empty store from an exported file; the server must be stopped')
    .example('onair import onair.json --data /srv/onair'),
).action(async (file: string, flags: Record<string, unknown>) =>
  (await import('./store/transfer.ts')).importStore(file, flags),
);

const data = (command: ProgramCommand): ProgramCommand =>
  command.option(...SETTINGS_FILE).option('--data <folder>', 'data folder (ONAIR_DATA)');
data(
  program
    .command('store')
    .description('the store')
    .command('move')
    .description('copy everything from the store of the settings into another, empty one; the server must be stopped')
    .example('onair store move --to postgres://onair@db.example.com/onair')
    .requiredOption('--to <store>', 'lowdb, or the URL of a database, without a password'),
).action(async (flags: { to: string }) => (await import('./store/store-move.ts')).moveStore(flags));

const PASSPHRASE_FILE = [
  '--passphrase-file <file>',
  'file with the passphrase in its first line (ONAIR_BACKUP_PASSPHRASE)',
] as const;
data(program.command('backup <file>'))
  .option(...PASSPHRASE_FILE)
  .description('write all but the Recordings to one file, also while the server runs; a passphrase encrypts it')
  .example('onair backup nightly.tar --passphrase-file key.txt')
  .action(async (file: string, flags: BackupFlags) => (await import('./backup/backup.ts')).backup(file, flags));
data(program.command('restore <file>'))
  .option(...PASSPHRASE_FILE)
  .option('--resume', 'put on air again what was, and let Schedules go on; left out: all is off and paused')
  .description('fill an empty data folder from a backup; no server may run on it')
  .example('onair restore nightly.tar --data /srv/onair')
  .action(async (file: string, flags: RestoreFlags) => (await import('./backup/restore.ts')).restore(file, flags));
answering(data(program.command('doctor')))
  .description(
    'what is missing, wrong, old or nearly full on this machine, and what to do about it; exit code 1: it keeps broadcasts from working',
  )
  .example('onair doctor')
  .action(async (flags: DoctorFlags) => (await import('./doctor/doctor.ts')).doctor(flags));
