import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { identify, type ProcessId } from '../../process.ts';
import type { RunFiles } from '../../run-dir.ts';
import { openLogFile } from '../../log-file.ts';
import { selfCommand } from '../../self-command.ts';

/**
 * Starts the runner in a session of its own: it outlives this agent, and no terminal or process group reaches it. The working directory
 * stays, since a loader in the arguments is resolved against it. Undefined when the runner could not be started or ended at once.
 */
export function spawnRunner(
  deviceDir: string,
  files: RunFiles,
  runId: string,
  onExit: (how: string) => void,
): ProcessId | undefined {
  const output = openLogFile(files.log);
  try {
    const [command, args] = selfCommand('runner', deviceDir, runId);
    const child = spawn(command, args, { detached: true, stdio: ['ignore', output, output] });
    child.once('error', (error) => onExit(error.message));
    child.once('exit', (code, signal) => onExit(howEnded(code, signal)));
    child.unref();
    return child.pid === undefined ? undefined : identify(child.pid);
  } finally {
    closeSync(output);
  }
}

export function howEnded(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}
