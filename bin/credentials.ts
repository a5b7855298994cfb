/** The caller's credentials file: tokens by server URL, readable by its owner alone. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { AppError } from '../domain/errors.ts';

type Credentials = Record<string, { token: string }>;

export function credentialsPath(env: NodeJS.ProcessEnv = process.env): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'onair', 'credentials.json');
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

/** Where the CLI and `onair mcp` talk to: ONAIR_URL and ONAIR_TOKEN first, then the server of this machine's settings. */
export function resolveTarget(local: { host: string; port: number }, env: NodeJS.ProcessEnv = process.env): Target {
  const credentials = readCredentials(env);
  const host = local.host.includes(':') ? `[${local.host}]` : local.host;
  const wanted = env['ONAIR_URL']?.replace(/\/+$/u, '') || `http://${host}:${local.port}`;
  return { url: wanted, token: env['ONAIR_TOKEN'] || credentials[wanted]?.token };
}
