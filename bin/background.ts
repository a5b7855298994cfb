/** The server that `onair mcp` starts where none runs. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openLogFile } from '../device/log-file.ts';
import { selfCommand } from '../device/self-command.ts';
import type { Config } from './config.ts';

/** Detached with its own log: an assistant that quits never takes a broadcast off air. */
export function startInBackground({ data, host, port, mediaPort }: Config): void {
  mkdirSync(data, { recursive: true });
  const path = join(data, 'serve.log');
  const log = openLogFile(path);
  const flags = ['--data', data, '--host', host, '--port', String(port), '--media-port', String(mediaPort)];
  const [command, args] = selfCommand('serve', ...flags);
  // The profile of this process narrows its own door, not the server that others use too.
  const { TOOL_PROFILE: _own, ...env } = process.env;
  spawn(command, args, { detached: true, stdio: ['ignore', log, log], env }).unref();
  process.stderr.write(
    `onair: no server runs at http://${host}:${port}; started one in the background (log: ${path})\n`,
  );
}
