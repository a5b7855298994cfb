/** `onair mcp` starts a server where none runs. */
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLogFile } from '../../device/log-file.ts';
import { selfCommand } from '../../device/self-command.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Config } from '../settings/config.ts';
import { ownUrl } from '../settings/own-address.ts';

export interface BackgroundServer {
  /** Resolves when the server ends, with the reason in a sentence. */
  ended: Promise<string>;
}

const MAX_REASON = 500;

/** The server is detached and has its own log, so that an assistant that quits never takes a broadcast off air. Throws AppError unavailable. */
export function startInBackground(config: Config): BackgroundServer {
  const { data, host, port, mediaPort, settingsFile, tlsCert, tlsKey, httpPort } = config;
  const path = join(data, 'serve.log');
  const log = openLog(data, path);
  const before = fstatSync(log).size;
  const flags = ['--data', data, '--host', host, '--port', String(port), '--media-port', String(mediaPort)];
  const optional = { '--config': settingsFile, '--tls-cert': tlsCert, '--tls-key': tlsKey, '--http-port': httpPort };
  for (const [flag, value] of Object.entries(optional)) if (value !== undefined) flags.push(flag, String(value));
  const [command, args] = selfCommand('serve', ...flags);
  // The profile of this process narrows what its own assistant may call, not the server that others use too.
  const { TOOL_PROFILE: _own, ...env } = process.env;
  const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log], env });
  closeSync(log);
  child.unref();
  process.stderr.write(
    `onair: no server runs ${port === 0 ? `on ${data}` : `at ${ownUrl(config)}`}; started one in the background (log: ${path})\n`,
  );
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(lastMessageIn(path, before) ?? `It ended with ${signal ?? code}.`));
  });
  return { ended };
}

function openLog(data: string, path: string): number {
  try {
    mkdirSync(data, { recursive: true });
    return openLogFile(path);
  } catch (cause) {
    const detail = `The data folder ${data} cannot be used: ${(cause as Error).message}. Name another one with ONAIR_DATA.`;
    throw new AppError('unavailable', detail, { cause });
  }
}

/** The last message of a failing command (see failure.ts) in what was logged after the first `since` bytes; without one the last line. */
function lastMessageIn(path: string, since: number): string | undefined {
  const lines = readFileSync(path).subarray(since).toString().split('\n');
  const line = lines.findLast((text) => text.startsWith('onair: ')) ?? lines.findLast((text) => text.trim() !== '');
  return line?.replace(/^onair: /u, '').slice(0, MAX_REASON);
}
