/** The caller's credentials file: tokens by server URL, readable by its owner alone. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../domain/base/errors.ts';
import { commandLine, configFolder } from './config-folder.ts';
import { ownUrl, type Local } from './own-address.ts';

interface Entry {
  token: string;
  /** Whose token it is, where somebody has signed in with it. */
  username?: string;
  /** The token that onair login has made, which onair logout revokes. */
  kid?: string;
  /** The context in force: the server of commands that name none. At most one entry has it. */
  current?: true;
  /** The user whose program listened there, on this machine and without TLS, when somebody signed in. */
  listener?: number;
  /** The certificate of a server of this machine that speaks TLS, in PEM. */
  certificate?: string;
}

type Credentials = Record<string, Entry>;

export function credentialsPath(env: NodeJS.ProcessEnv = process.env): string {
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

/** Adds or replaces the token of a server. */
export function writeCredential(url: string, token: string, env: NodeJS.ProcessEnv = process.env): string {
  const present = readCredentials(env);
  return writeAll({ ...present, [url]: { ...present[url], token } }, env);
}

/**
 * The server at `url` keeps its token in this file when it has come to speak TLS, or speaks it no more, and tells its certificate to the CLI
 * and to `onair mcp`.
 */
export function noteCertificate(url: string, certificate: string | undefined, env = process.env): void {
  const { [twinOf(url)]: former, [url]: present, ...others } = readCredentials(env);
  const entry = present ?? former;
  if (entry === undefined || (former === undefined && present?.certificate === certificate)) return;
  const { certificate: _before, ...kept } = entry;
  writeAll({ ...others, [url]: { ...kept, ...(certificate !== undefined && { certificate }) } }, env);
}

/** A server that has another port than before keeps its entry in this file. */
export function moveCredential(former: string, url: string): void {
  const { [former]: entry, ...others } = readCredentials();
  if (entry !== undefined && others[url] === undefined) writeAll({ ...others, [url]: entry });
}

/** The address of the same server with TLS in place of plain HTTP, or the other way. */
function twinOf(url: string): string {
  return url.startsWith('https:') ? `http${url.slice('https'.length)}` : `https${url.slice('http'.length)}`;
}

/** The certificate that is known of the server at `url`, in PEM. */
export function certificateOf(url: string): string | undefined {
  return entryFor(url, readCredentials(), [url])?.certificate;
}

export function listenerOf(url: string): number | undefined {
  return entryFor(url.replace(/\/+$/u, ''), readCredentials())?.listener;
}

/** Keeps the token of a sign-in, and makes its server the one in force. */
export function signIn(url: string, made: Pick<Entry, 'token' | 'username' | 'kid' | 'listener'>): string {
  const { [url]: { kid: _before, listener: _former, ...present } = {}, ...others } = readCredentials();
  return writeAll(inForce({ ...others, [url]: { ...present, ...made } }, url));
}

/** The entry of a server by its name; left out, that of the one in force. Throws AppError not_found. */
export function signedIn(name: string | undefined): Entry & { url: string } {
  const credentials = readCredentials();
  const { url } = (name === undefined && currentOf(credentials)) || contextNamed(name ?? 'in force', credentials);
  return { url, ...credentials[url]! };
}

export function forgetServer(url: string): void {
  const { [url]: _gone, ...others } = readCredentials();
  writeAll(others);
}

/** Makes a server that is known the one in force. Throws AppError not_found. */
export function chooseContext(name: string): string {
  const credentials = readCredentials();
  const { url } = contextNamed(name, credentials);
  writeAll(inForce(credentials, url));
  return url;
}

function inForce(credentials: Credentials, url: string): Credentials {
  return Object.fromEntries(
    Object.entries(credentials).map(([each, { current: _before, ...entry }]) => [
      each,
      each === url ? { ...entry, current: true as const } : entry,
    ]),
  );
}

/** The file is replaced as a whole, mode 0600. */
function writeAll(credentials: Credentials, env: NodeJS.ProcessEnv = process.env): string {
  const path = credentialsPath(env);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}.tmp`;
  writeFileSync(fresh, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(fresh, path);
  return path;
}

export interface Target {
  url: string;
  token: string | undefined;
  /** The user whose program may listen there, beside those that are trusted anyway. */
  listener?: number | undefined;
  /** True: somebody has signed in to it, and it is another server than the one that the settings of this machine name. */
  isElsewhere?: boolean;
}

/**
 * The server that the CLI and `onair mcp` talk to: that of --context, else ONAIR_URL, else the one of the last sign-in, else the one that
 * the settings of this machine name. ONAIR_TOKEN goes to ONAIR_URL, and without that only to a server of this machine that the credentials
 * file knows: no file can send it elsewhere. Throws AppError unauthenticated where it would have to, and not_found for an unknown context.
 */
export function resolveTarget(
  local: Local,
  env: NodeJS.ProcessEnv = process.env,
  context: string | undefined = commandLine.context,
): Target {
  const credentials = readCredentials(env);
  const here = ownUrl(local);
  // The server may have been started with other settings: whether it speaks TLS is known from the file that it wrote.
  const own = entryFor(here, credentials, [here, twinOf(here)]);
  const elsewhere = (url: string): Pick<Target, 'isElsewhere'> =>
    url === here || url === own?.url ? {} : { isElsewhere: true };
  if (context !== undefined) {
    const { url, token } = contextNamed(context, credentials);
    return { url, token, ...elsewhere(url) };
  }
  const explicitUrl = namedUrl(env);
  const token = env['ONAIR_TOKEN'];
  if (explicitUrl !== undefined) return { url: explicitUrl, token: token || entryFor(explicitUrl, credentials)?.token };
  const entry = currentOf(credentials) ?? own;
  const url = entry?.url ?? here;
  if (!token) return { url, token: entry?.token, ...elsewhere(url) };
  if (entry !== undefined && isLoopback(url)) return { url, token, ...elsewhere(url) };
  throw new AppError(
    'unauthenticated',
    `ONAIR_TOKEN is set and ONAIR_URL is not, and ${url} is no server of this machine that ${credentialsPath(env)} knows: the token is not sent there.`,
    { remedy: 'Set ONAIR_URL to the server that the token is for.' },
  );
}

/** The servers that are known, the one in force first. */
export function listContexts(): { url: string; username: string | null; current: boolean }[] {
  return Object.entries(readCredentials())
    .map(([url, { username = null, current = false }]) => ({ url, username, current }))
    .sort((a, b) => Number(b.current) - Number(a.current) || (a.url < b.url ? -1 : 1));
}

function currentOf(credentials: Credentials): { url: string; token: string } | undefined {
  const found = Object.entries(credentials).find(([, { current }]) => current === true);
  return found && { url: found[0], token: found[1].token };
}

/** A context is named by its URL, or by the host in it where only one has that. */
function contextNamed(name: string, credentials: Credentials): { url: string; token: string } {
  const entry = entryFor(name.replace(/\/+$/u, ''), credentials);
  if (entry !== undefined) return entry;
  const urls = Object.keys(credentials);
  const [url, ...others] = urls.filter(
    (each) => URL.canParse(each) && [new URL(each).host, new URL(each).hostname].includes(name),
  );
  if (url !== undefined && others.length === 0) return { url, token: credentials[url]?.token ?? '' };
  const known = urls.length === 0 ? 'None is known yet' : `Known are ${urls.join(', ')}`;
  throw new AppError('not_found', `There is no context ${JSON.stringify(name)}. ${known}.`, {
    remedy: 'Sign in to it with: onair login <url>',
  });
}

function namedUrl(env: NodeJS.ProcessEnv): string | undefined {
  return env['ONAIR_URL']?.replace(/\/+$/u, '') || undefined;
}

/**
 * The credentials of one of `urls`, or of the same port under another loopback address, which then is the URL to call. The schemes of `urls`
 * are those that will do.
 */
function entryFor(url: string, credentials: Credentials, urls = [url]): (Entry & { url: string }) | undefined {
  for (const each of urls) if (credentials[each] !== undefined) return { url: each, ...credentials[each] };
  if (!isLoopback(url)) return undefined;
  const { port } = new URL(url);
  const protocols = urls.map((each) => new URL(each).protocol);
  const alike = Object.entries(credentials).find(
    ([other]) => isLoopback(other) && protocols.includes(new URL(other).protocol) && new URL(other).port === port,
  );
  return alike && { url: alike[0], ...alike[1] };
}

export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(hostname);
}
