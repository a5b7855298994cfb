/**
 * Settings come from flags, which win over the environment, which wins over one file. The file is the caller's own or the one that --config
 * names, never one of the working directory: assistants start `onair mcp` in the folder of whatever project is open, and its author must not
 * choose where tokens go.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AppError, type FieldIssue } from '../../domain/base/errors.ts';
import { editDistance } from '../../toolkit/catalogue.ts';
import { toFieldIssues } from '../../toolkit/input/input.ts';
import { configFolder, noticeOnce, ownFolder } from './config-folder.ts';
import {
  OTHER_VARIABLES,
  SETTING_NAMES,
  SETTINGS,
  settingsSchema,
  type SettingName,
  type Settings,
} from './settings.ts';

/** Settings that have a value where nobody has chosen one. */
type Initial = {
  [
    Name in keyof typeof SETTINGS as (typeof SETTINGS)[Name]['initial'] extends { value: unknown } ? Name : never
  ]: NonNullable<Settings[Name]>;
};

export interface Config extends Omit<Settings, keyof Initial>, Initial {
  /** The settings file that --config named: the processes that this one starts read the same. */
  settingsFile?: string;
  data: string;
  mediaPort: number;
  timezone: string;
}

const INITIAL = Object.fromEntries(
  Object.entries(SETTINGS).flatMap(([name, { initial }]) => ('value' in initial ? [[name, initial.value]] : [])),
) as Initial;

/**
 * `flags` may hold `config`, the path of the settings file; `onFile` is called with the path of the file that was read. Throws AppError
 * invalid_input that names the setting, where it came from, and the valid ones.
 */
export function loadConfig(
  { config: named, context: _server, ...flags }: Record<string, unknown>,
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
  assertWholePair(merged);
  const { host, port } = { ...INITIAL, ...merged };
  return {
    ...INITIAL,
    ...merged,
    ...(settingsFile !== undefined && { settingsFile }),
    data: resolve(cwd, merged.data ?? join(ownFolder(env, 'XDG_DATA_HOME', join('.local', 'share')), 'onair')),
    // localhost has two addresses, and a system may name either one first: who connects to the other would find nobody.
    ...(merged.tlsCert !== undefined && { tlsCert: resolve(cwd, merged.tlsCert) }),
    ...(merged.tlsKey !== undefined && { tlsKey: resolve(cwd, merged.tlsKey) }),
    host: host === 'localhost' ? INITIAL.host : host,
    mediaPort: merged.mediaPort ?? (port === 0 || port === 65535 ? 0 : port + 1),
    // The zone is found out when it is read: that takes 20 ms, a tenth of the start of `onair mcp`, which never reads it.
    get timezone() {
      return merged.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    },
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
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, env[SETTINGS[name].variable] || undefined]));
}

function badSetting(errors: FieldIssue[], detail: string): AppError {
  return new AppError('invalid_input', detail, {
    errors,
    remedy: 'Correct the setting, or take it away, and try again.',
  });
}

const KNOWN_VARIABLES = [...SETTING_NAMES.map((name) => SETTINGS[name].variable), ...Object.keys(OTHER_VARIABLES)];

/** The setting whose name differs from `name` by one letter that was added, left out, changed or swapped with its neighbour; case aside. */
function settingMeant(name: string): string | undefined {
  const variable = name.toUpperCase();
  // One letter leaves one end of the name as it is. Every start of `onair mcp` compares each variable with each setting.
  const isNear = (known: string): boolean =>
    Math.abs(known.length - variable.length) <= 1 &&
    (variable.startsWith(known.slice(0, 3)) || variable.endsWith(known.slice(-3))) &&
    editDistance(variable, known) <= 1;
  return KNOWN_VARIABLES.find(isNear);
}

/**
 * Throws AppError invalid_input for a mistyped variable: a mistyped zone would move every Schedule, a mistyped bootstrap token would make
 * another token. Variables of other programs are never near a setting, because each setting has the name of this program in it, or is long.
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

/** A warning about variables that look like settings and are none. Orchestrators set variables of their own, so they are no reason to refuse. */
export function strayVariables(env: NodeJS.ProcessEnv): string | undefined {
  const strays = Object.keys(env).filter((name) => /^onair_/iu.test(name) && !KNOWN_VARIABLES.includes(name));
  if (strays.length === 0) return undefined;
  return `ignored, for there is no such setting: ${strays.join(', ')}. Valid settings: ${KNOWN_VARIABLES.join(', ')}.`;
}

/** Half of a pair, or a redirect to TLS that nobody speaks, is a slip that would leave the server in plain HTTP. */
function assertWholePair({ tlsCert, tlsKey, httpPort }: Settings): void {
  const missing =
    tlsCert === undefined && (tlsKey ?? httpPort) !== undefined
      ? 'tlsCert'
      : tlsCert !== undefined && tlsKey === undefined
        ? 'tlsKey'
        : undefined;
  if (missing === undefined) return;
  const { variable } = SETTINGS[missing];
  throw badSetting(
    [{ field: variable, code: 'required', message: 'is needed beside the other settings of TLS' }],
    `Settings of TLS: ${variable} is missing. ONAIR_TLS_CERT and ONAIR_TLS_KEY are set together; ONAIR_HTTP_PORT needs both.`,
  );
}

/** Paths in the settings file are relative to that file. */
const PATHS = ['data', 'tlsCert', 'tlsKey'] as const;

/** A file that --config names must be there; the caller's own file may be missing. Its data folder is relative to the file itself. */
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
  const settings = check(parseJson(text, path), path);
  const paths = PATHS.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]] as const]));
  return { ...settings, ...Object.fromEntries(paths.map(([name, text]) => [name, resolve(dirname(path), text)])) };
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

function check(values: unknown, where: string): Settings {
  const set = Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value !== undefined));
  const parsed = settingsSchema.safeParse(set);
  if (parsed.success) return Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined));
  const issues = toFieldIssues(parsed.error.issues).map((issue) => ({
    ...issue,
    field: nameIn(issue.field, where),
    ...(issue.code === 'unknown_field' && { message: 'is not a setting' }),
  }));
  const findings = issues.map((issue) => `${issue.field} ${issue.message}`).join('; ');
  throw badSetting(
    issues,
    `Setting from ${where}: ${findings}. Valid settings: ${SETTING_NAMES.map((name) => nameIn(name, where)).join(', ')}.`,
  );
}

function nameIn(field: string, where: string): string {
  return where === 'the environment' && field in SETTINGS ? SETTINGS[field as SettingName].variable : field;
}
