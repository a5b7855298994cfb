/** The caller's credentials file: tokens by server URL, readable by its owner alone. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { commandLine, configFolder, loadConfig } from './config.ts';
import { isLoopback, textOf, type ServerTarget } from './trust.ts';

interface Credential {
  token: string;
  /** The certificate of a server of this machine that speaks TLS, in PEM. */
  certificate?: string;
}
type Credentials = Record<string, Credential>;

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
  return replaceCredentials({ ...readCredentials(env), [url]: { token } }, env);
}

/**
 * The server at `url` keeps its token in this file when it has come to speak TLS, or speaks it no more, and tells its certificate to the CLI
 * and to `onair mcp`.
 */
export function noteCertificate(url: string, certificate: string | undefined, env = process.env): void {
  const credentials = readCredentials(env);
  const twin = url.startsWith('https:') ? url.replace(/^https/u, 'http') : url.replace(/^http/u, 'https');
  const { [twin]: former, [url]: present, ...others } = credentials;
  const token = (present ?? former)?.token;
  if (token === undefined || (former === undefined && present?.certificate === certificate)) return;
  replaceCredentials({ ...others, [url]: { token, ...(certificate !== undefined && { certificate }) } }, env);
}

function replaceCredentials(next: Credentials, env: NodeJS.ProcessEnv): string {
  const path = credentialsPath(env);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}.tmp`;
  writeFileSync(fresh, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(fresh, path);
  return path;
}

export interface Target extends ServerTarget {
  token: string | undefined;
}

/** The URL at which this machine reaches a server that listens on `host`; 0.0.0.0 and :: include the loopback address. */
export function localUrl(host: string, port: number, speaksTls: boolean): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${speaksTls ? 'https' : 'http'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
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
  if (explicitUrl !== undefined) {
    const known = entryFor(explicitUrl, credentials, false);
    return targetAt(explicitUrl, token || known?.token, known?.certificate);
  }
  const own = localUrl(local.host, local.port, local.tlsCert !== undefined);
  // The server may have been started with other settings: whether it speaks TLS is known from the file that it wrote.
  const entry = entryFor(own, credentials, true);
  const { url, certificate } = entry ?? { url: own, certificate: textOf(local.tlsCert) };
  if (!token) return targetAt(url, entry?.token, certificate);
  if (entry !== undefined && isLoopback(url)) return targetAt(url, token, certificate);
  throw new AppError(
    'unauthenticated',
    `ONAIR_TOKEN is set and ONAIR_URL is not, and ${url} is no server of this machine that ${credentialsPath(env)} knows: the token is not sent there.`,
    { remedy: 'Set ONAIR_URL to the server that the token is for.' },
  );
}

function targetAt(url: string, token: string | undefined, certificate: string | undefined): Target {
  return { url, token, ...(certificate !== undefined && { certificate }) };
}

interface Local {
  host: string;
  port: number;
  tlsCert?: string | undefined;
}

function namedUrl(env: NodeJS.ProcessEnv): string | undefined {
  return env['ONAIR_URL']?.replace(/\/+$/u, '') || undefined;
}

/**
 * The credentials of `url`, or of the same port under another loopback address, which then is the URL to call; with `anyScheme` also of the
 * same server with TLS in place of plain HTTP, or the other way.
 */
function entryFor(
  url: string,
  credentials: Credentials,
  anyScheme: boolean,
): (Credential & { url: string }) | undefined {
  const twin = anyScheme ? url.replace(/^https?/u, (scheme) => (scheme === 'http' ? 'https' : 'http')) : url;
  for (const name of [url, twin]) if (credentials[name] !== undefined) return { url: name, ...credentials[name] };
  if (!isLoopback(url)) return undefined;
  const { protocol, port } = new URL(url);
  const alike = Object.entries(credentials).find(
    ([other]) =>
      isLoopback(other) && (anyScheme || new URL(other).protocol === protocol) && new URL(other).port === port,
  );
  return alike && { url: alike[0], ...alike[1] };
}

/** The server of the commands for people, by this command line and environment. Throws AppError invalid_input, unauthenticated. */
export function target(): Target {
  return resolveTarget(loadConfig(commandLine, process.env, process.cwd()));
}
