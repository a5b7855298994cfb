/**
 * Settings: flags over environment over one file. The file is the caller's own or the one named by --config, never one of the working
 * directory: assistants start `onair mcp` in the folder of whatever project is open, and its author must not choose where tokens go.
 */
import { readFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod/v3';
import { AppError, type FieldIssue } from '../domain/errors.ts';
import { NETWORKS_SETTING, networksIssue } from '../domain/networks.ts';
import { isTimezone } from '../domain/zone.ts';
import { proxiesAt } from '../rest/client-address.ts';
import { editDistance } from '../toolkit/catalogue.ts';
import { toFieldIssues } from '../toolkit/input/input.ts';

/** 200 calls a second, a minute's worth at once: no honest caller comes near it, a loop that has gone wild does. */
const RATE_LIMIT = 12_000;
/** Rows are kept in memory, about 1 KB each; nobody chooses from so long a list. */
const ASSET_COUNT = 100_000;

const settings = z
  .object({
    data: z.string().min(1).describe('Data folder.'),
    host: z.string().min(1).describe('Address to listen on.'),
    port: z.coerce.number().int().min(0).max(65535).describe('Port of the API and MCP; 0 = any.'),
    mediaPort: z.coerce.number().int().min(0).max(65535).describe("Port of the Device's own HTTP delivery; 0 = any."),
    store: z
      .string()
      .regex(/^lowdb$/u, 'must be lowdb')
      .describe('Where rows are kept.'),
    timezone: z
      .string()
      .refine(isTimezone, 'must be an IANA time zone such as Europe/Zurich')
      .describe('Zone of Schedules.'),
    publicUrl: z.string().url().describe('URL under which viewers and callers reach this server.'),
    trustedProxies: z
      .string()
      .refine(isProxyList, 'must be addresses or networks such as 10.0.0.0/8, separated by commas')
      .describe('Proxies whose X-Forwarded-For is believed.'),
    profile: z.enum(['voice', 'readonly', 'operator', 'full']).describe('Tool profile of the MCP door.'),
    bootstrapToken: z.string().min(24).describe('Token of the first administrator.'),
    bootstrapPassword: z.string().min(12).max(128).describe('Password of the first administrator.'),
    cloudUrl: z.string().url().describe('URL of the managed cloud platform.'),
    deviceUser: z
      .string()
      .regex(/^[a-z_][a-z0-9_-]{0,31}$/u, 'must be the name of a user of this machine')
      .describe('User that the Device agent and its ffmpeg run as when root starts them.'),
    licenceKey: z.string().min(1).describe('Public key (PEM text or path) that licences are signed with.'),
    rateLimit: z.coerce.number().int().min(0).max(10_000_000).describe('Calls a minute for each token; 0 = no limit.'),
    assetMaxCount: z.coerce.number().int().min(0).describe('Number of Assets in all; 0 = no limit.'),
    assetMaxBytes: z.coerce.number().int().min(0).describe('Bytes of all Assets together; 0 = no limit.'),
    sourceNetworks: z
      .string()
      .superRefine((text, issues) => {
        const message = networksIssue(text);
        if (message !== undefined) issues.addIssue({ code: 'custom', message });
      })
      .describe('Networks that sources, targets, folders and providers may be in, or with ! may not.'),
    logLevel: z.enum(['debug', 'info', 'warn', 'error']).describe('Least level that is logged.'),
  })
  .partial()
  .strict();
type Settings = z.infer<typeof settings>;
export type SettingName = keyof Settings;

const ENVIRONMENT: Record<SettingName, string> = {
  data: 'ONAIR_DATA',
  host: 'ONAIR_HOST',
  port: 'ONAIR_PORT',
  mediaPort: 'ONAIR_MEDIA_PORT',
  store: 'ONAIR_STORE',
  timezone: 'ONAIR_TIMEZONE',
  publicUrl: 'ONAIR_PUBLIC_URL',
  trustedProxies: 'ONAIR_TRUSTED_PROXIES',
  profile: 'TOOL_PROFILE',
  bootstrapToken: 'ONAIR_BOOTSTRAP_TOKEN',
  bootstrapPassword: 'ONAIR_BOOTSTRAP_PASSWORD',
  cloudUrl: 'ONAIR_CLOUD_URL',
  deviceUser: 'ONAIR_DEVICE_USER',
  licenceKey: 'ONAIR_LICENSE_KEY',
  rateLimit: 'ONAIR_RATE_LIMIT',
  assetMaxCount: 'ONAIR_ASSET_MAX_COUNT',
  assetMaxBytes: 'ONAIR_ASSET_MAX_BYTES',
  sourceNetworks: NETWORKS_SETTING,
  logLevel: 'ONAIR_LOG_LEVEL',
};

export interface Config extends Settings {
  /** The settings file, where --config named one: what this program starts reads the same. */
  settingsFile?: string;
  data: string;
  host: string;
  port: number;
  mediaPort: number;
  store: string;
  timezone: string;
  profile: NonNullable<Settings['profile']>;
  rateLimit: number;
  assetMaxCount: number;
  assetMaxBytes: number;
  logLevel: NonNullable<Settings['logLevel']>;
}

/** The folder of the caller's own files: settings and credentials. */
export function configFolder(env: NodeJS.ProcessEnv): string {
  return join(ownFolder(env, 'XDG_CONFIG_HOME', '.config'), 'onair');
}

/** The XDG base directory specification has relative paths ignored: they would lead into whatever folder one stands in. */
function ownFolder(env: NodeJS.ProcessEnv, variable: string, inHome: string): string {
  const named = env[variable];
  if (named && isAbsolute(named)) return named;
  const folder = join(homeFolder(), inHome);
  if (named) noticeOnce(`${variable} is ignored, for ${named} is no absolute path; ${folder} is used.`);
  return folder;
}

/** That of HOME; where HOME is empty or relative, the one of the user's entry in passwd. Throws AppError where there is none. */
function homeFolder(): string {
  for (const find of [homedir, () => userInfo().homedir]) {
    try {
      const found = find();
      if (isAbsolute(found)) return found;
    } catch {
      // The user has no entry in passwd.
    }
  }
  throw badSetting(
    [{ field: 'HOME', code: 'required', message: 'must be an absolute path' }],
    `Setting from the environment: HOME names no absolute path, and user ${process.getuid?.() ?? ''} has no home folder in passwd. Set HOME, or XDG_CONFIG_HOME and XDG_DATA_HOME, to absolute paths.`,
  );
}

const notices = new Set<string>();

/** A command that goes on reads its settings for each call. */
function noticeOnce(line: string): void {
  if (!notices.has(line)) process.stderr.write(`onair: ${line}\n`);
  notices.add(line);
}

/**
 * `flags` may hold `config`, the path of the settings file; `onFile` is called with the path of the file that was read. Throws AppError
 * invalid_input that names the setting, where it came from, and the valid ones.
 */
export function loadConfig(
  { config: named, ...flags }: Record<string, unknown>,
  env: NodeJS.ProcessEnv,
  cwd: string,
  onFile: (path: string) => void = announceFile,
): Config {
  assertNoNearMiss(env);
  const settingsFile = typeof named === 'string' ? resolve(cwd, named) : undefined;
  const merged = {
    ...readFile(settingsFile, env, onFile),
    ...check(fromEnvironment(env), 'the environment'),
    ...check(flags, 'the command line'),
  };
  const port = merged.port ?? 8090;
  return {
    ...merged,
    ...(settingsFile !== undefined && { settingsFile }),
    data: resolve(cwd, merged.data ?? join(ownFolder(env, 'XDG_DATA_HOME', join('.local', 'share')), 'onair')),
    // By one name: of its two addresses a system answers either one first, and the other would find nobody.
    host: merged.host === undefined || merged.host === 'localhost' ? '127.0.0.1' : merged.host,
    port,
    mediaPort: merged.mediaPort ?? (port === 0 || port === 65535 ? 0 : port + 1),
    store: merged.store ?? 'lowdb',
    // Found out when it is asked for: it takes 20 ms, a tenth of the start of `onair mcp`, which never asks.
    get timezone() {
      return merged.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    },
    profile: merged.profile ?? 'full',
    rateLimit: merged.rateLimit ?? RATE_LIMIT,
    assetMaxCount: merged.assetMaxCount ?? ASSET_COUNT,
    assetMaxBytes: merged.assetMaxBytes ?? 0,
    logLevel: merged.logLevel ?? 'info',
  };
}

function fromEnvironment(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  const port = env['ONAIR_PORT'];
  if (port !== undefined && /^\w+:\/\//u.test(port)) {
    const cause = 'Kubernetes sets this variable for a Service that is named onair';
    const remedy = 'Set enableServiceLinks: false in the pod, or give the Service another name.';
    throw badSetting(
      [{ field: 'ONAIR_PORT', code: 'invalid_type', message: `must be a port number, not ${port}` }],
      `Setting from the environment: ONAIR_PORT must be a port number, not ${port}: ${cause}. ${remedy}`,
    );
  }
  return Object.fromEntries(Object.entries(ENVIRONMENT).map(([name, variable]) => [name, env[variable] || undefined]));
}

function badSetting(errors: FieldIssue[], detail: string): AppError {
  return new AppError('invalid_input', detail, {
    errors,
    remedy: 'Correct the setting, or take it away, and try again.',
  });
}

/** Read by the CLI and the Device, not by the server. */
const OTHER_VARIABLES = ['ONAIR_URL', 'ONAIR_TOKEN', 'ONAIR_FFMPEG', 'ONAIR_FFPROBE', 'ONAIR_VIDEOSITE_RESOLVER'];
const KNOWN_VARIABLES = [...Object.values(ENVIRONMENT), ...OTHER_VARIABLES];

/** The setting that a variable is a slip of: one letter added, left out, changed or swapped with its neighbour, in either case. */
function settingMeant(name: string): string | undefined {
  const said = name.toUpperCase();
  return KNOWN_VARIABLES.find((known) => Math.abs(known.length - said.length) <= 1 && editDistance(said, known) <= 1);
}

/**
 * A mistyped zone would move every Schedule, a mistyped bootstrap token would make another token. Throws AppError invalid_input. Names of
 * other programs are a slip of none: each setting has the name of this one in it, or is long.
 */
export function assertNoNearMiss(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) {
    const meant = KNOWN_VARIABLES.includes(name) ? undefined : settingMeant(name);
    if (meant === undefined) continue;
    throw badSetting(
      [{ field: name, code: 'unknown_field', message: `is not a setting; ${meant} is`, nearest: meant }],
      `Setting from the environment: ${name} is not a setting; ${meant} is. Correct its name, or unset it. Valid settings: ${KNOWN_VARIABLES.join(', ')}.`,
    );
  }
}

/** Names the variables that look like settings and are none, if any. Orchestrators set variables of their own: they are no reason to refuse. */
export function strayVariables(env: NodeJS.ProcessEnv): string | undefined {
  const strays = Object.keys(env).filter((name) => /^onair_/iu.test(name) && !KNOWN_VARIABLES.includes(name));
  if (strays.length === 0) return undefined;
  return `ignored, for there is no such setting: ${strays.join(', ')}. Valid settings: ${KNOWN_VARIABLES.join(', ')}.`;
}

/** A file that is named must be there; the caller's own file may be missing. Its data folder is relative to the file itself. */
function readFile(named: string | undefined, env: NodeJS.ProcessEnv, onFile: (path: string) => void): Settings {
  const path = named ?? join(configFolder(env), 'config.json');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (named === undefined && (cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new AppError('invalid_input', `The settings file ${path} cannot be read: ${(cause as Error).message}`, {
      cause,
      remedy: 'Name a file that can be read with --config.',
    });
  }
  onFile(path);
  const found = check(parseJson(text, path), path);
  return found.data === undefined ? found : { ...found, data: resolve(dirname(path), found.data) };
}

function announceFile(path: string): void {
  noticeOnce(`settings from ${path}`);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('invalid_input', `${path} is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

function check(given: unknown, where: string): Settings {
  const set = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined));
  const parsed = settings.safeParse(set);
  if (parsed.success) return Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined));
  const issues = toFieldIssues(parsed.error.issues).map((issue) => ({
    ...issue,
    field: nameIn(issue.field, where),
    ...(issue.code === 'unknown_field' && { message: 'is not a setting' }),
  }));
  const found = issues.map((issue) => `${issue.field} ${issue.message}`).join('; ');
  throw badSetting(
    issues,
    `Setting from ${where}: ${found}. Valid settings: ${Object.keys(ENVIRONMENT)
      .map((name) => nameIn(name, where))
      .join(', ')}.`,
  );
}

function isProxyList(text: string): boolean {
  try {
    proxiesAt(text);
    return true;
  } catch {
    return false;
  }
}

function nameIn(field: string, where: string): string {
  return where === 'the environment' ? (ENVIRONMENT[field as SettingName] ?? field) : field;
}
