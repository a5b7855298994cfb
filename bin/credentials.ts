/** The caller's credentials file: tokens by server URL, readable by its owner alone. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { commandLine, configFolder, loadConfig } from './config.ts';

type Credentials = Record<string, { token: string }>;

function credentialsPath(env: NodeJS.ProcessEnv = process.env): string {
  return join(configFolder(env), 'credentials.json');
}

export function readCredentials(env: NodeJS.ProcessEnv = process.env): Credentials {
  const path = credentialsPath(env);
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Credentials;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new AppError('unavailable', `${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Adds or replaces the server's entry; the file is replaced as a whole, mode 0600. */
export function writeCredential(url: string, token: string, env: NodeJS.ProcessEnv = process.env): string {
  const path = credentialsPath(env);
  const next = { ...readCredentials(env), [url]: { token } };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}.tmp`;
  writeFileSync(fresh, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(fresh, path);
  return path;
}

export interface Target {
  url: string;
  token: string | undefined;
}

/** The URL at which this machine reaches a server that listens on `host`; 0.0.0.0 and :: include the loopback address. */
export function localUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/**
 * The server that the CLI and `onair mcp` talk to: ONAIR_URL, else the one that the settings of this machine name. ONAIR_TOKEN goes to
 * ONAIR_URL, and without that only to a server of this machine that the credentials file knows: no settings file can send it elsewhere.
 * Throws AppError unauthenticated where it would have to.
 */
export function resolveTarget(local: Local, env: NodeJS.ProcessEnv = process.env): Target {
  const credentials = readCredentials(env);
  const explicitUrl = namedUrl(env);
  const token = env['ONAIR_TOKEN'];
  if (explicitUrl !== undefined) return { url: explicitUrl, token: token || entryFor(explicitUrl, credentials)?.token };
  const entry = entryFor(localUrl(local.host, local.port), credentials);
  const url = entry?.url ?? localUrl(local.host, local.port);
  if (!token) return { url, token: entry?.token };
  if (entry !== undefined && isLoopback(url)) return { url, token };
  throw new AppError(
    'unauthenticated',
    `ONAIR_TOKEN is set and ONAIR_URL is not, and ${url} is no server of this machine that ${credentialsPath(env)} knows: the token is not sent there.`,
    { remedy: 'Set ONAIR_URL to the server that the token is for.' },
  );
}

interface Local {
  host: string;
  port: number;
}

function namedUrl(env: NodeJS.ProcessEnv): string | undefined {
  return env['ONAIR_URL']?.replace(/\/+$/u, '') || undefined;
}

/** The credentials of `url`, or of the same port under another loopback address, which then is the URL to call. */
function entryFor(url: string, credentials: Credentials): { url: string; token: string } | undefined {
  const own = credentials[url];
  if (own !== undefined) return { url, token: own.token };
  if (!isLoopback(url)) return undefined;
  const { protocol, port } = new URL(url);
  const alike = Object.entries(credentials).find(
    ([other]) => isLoopback(other) && new URL(other).protocol === protocol && new URL(other).port === port,
  );
  return alike && { url: alike[0], token: alike[1].token };
}

/** The server of the commands for people, by this command line and environment. Throws AppError invalid_input, unauthenticated. */
export function target(): Target {
  return resolveTarget(loadConfig(commandLine, process.env, process.cwd()));
}

function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(hostname);
}
