/** Settings: flags over environment over onair.config.json. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod/v3';
import { AppError, invalidInput } from '../domain/errors.ts';
import { isTimezone } from '../domain/zone.ts';
import { toFieldIssues } from '../toolkit/input.ts';

/** 200 calls a second, a minute's worth at once: no honest caller comes near it, a loop that has gone wild does. */
const RATE_LIMIT = 12_000;

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
  profile: 'TOOL_PROFILE',
  bootstrapToken: 'ONAIR_BOOTSTRAP_TOKEN',
  bootstrapPassword: 'ONAIR_BOOTSTRAP_PASSWORD',
  cloudUrl: 'ONAIR_CLOUD_URL',
  deviceUser: 'ONAIR_DEVICE_USER',
  licenceKey: 'ONAIR_LICENSE_KEY',
  rateLimit: 'ONAIR_RATE_LIMIT',
  logLevel: 'ONAIR_LOG_LEVEL',
};

export interface Config extends Settings {
  data: string;
  host: string;
  port: number;
  mediaPort: number;
  store: string;
  timezone: string;
  profile: NonNullable<Settings['profile']>;
  rateLimit: number;
  logLevel: NonNullable<Settings['logLevel']>;
}

/** Throws AppError invalid_input that names the setting, where it came from, and the valid ones. */
export function loadConfig(flags: Record<string, unknown>, env: NodeJS.ProcessEnv, cwd: string): Config {
  const fromEnv = Object.fromEntries(
    Object.entries(ENVIRONMENT).map(([name, variable]) => [name, env[variable] || undefined]),
  );
  const merged = {
    ...check(readFile(cwd), 'onair.config.json'),
    ...check(fromEnv, 'the environment'),
    ...check(flags, 'the command line'),
  };
  const port = merged.port ?? 8090;
  return {
    ...merged,
    data: resolve(cwd, merged.data ?? join(env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'onair')),
    host: merged.host ?? '127.0.0.1',
    port,
    mediaPort: merged.mediaPort ?? (port === 0 || port === 65535 ? 0 : port + 1),
    store: merged.store ?? 'lowdb',
    // Found out when it is asked for: it takes 20 ms, a tenth of the start of `onair mcp`, which never asks.
    get timezone() {
      return merged.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    },
    profile: merged.profile ?? 'full',
    rateLimit: merged.rateLimit ?? RATE_LIMIT,
    logLevel: merged.logLevel ?? 'info',
  };
}

/** Read by the CLI and the Device, not by the server. */
const OTHER_VARIABLES = ['ONAIR_URL', 'ONAIR_TOKEN', 'ONAIR_FFMPEG', 'ONAIR_FFPROBE'];

/**
 * Says which settings of the environment do not exist, if any: `ONAIR_PROFILE` for TOOL_PROFILE would go unnoticed. Not refused, as
 * it is in the file and on the command line: the environment belongs to other programs too.
 */
export function strayVariables(env: NodeJS.ProcessEnv): string | undefined {
  const known = [...Object.values(ENVIRONMENT), ...OTHER_VARIABLES];
  const strays = Object.keys(env).filter((name) => name.startsWith('ONAIR_') && !known.includes(name));
  if (strays.length === 0) return undefined;
  return `ignored, for there is no such setting: ${strays.join(', ')}. Valid settings: ${known.join(', ')}.`;
}

function readFile(cwd: string): unknown {
  const path = join(cwd, 'onair.config.json');
  if (!existsSync(path)) return {};
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
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
  throw invalidInput(
    issues,
    `Setting from ${where}: ${found}. Valid settings: ${Object.keys(ENVIRONMENT)
      .map((name) => nameIn(name, where))
      .join(', ')}.`,
  );
}

function nameIn(field: string, where: string): string {
  return where === 'the environment' ? (ENVIRONMENT[field as SettingName] ?? field) : field;
}
