import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { identify, type ProcessId } from '../process.ts';
import type { RunFiles } from '../run-dir.ts';
import { selfCommand } from '../self-command.ts';
import { writeSpawned } from './run-record.ts';

/**
 * Starts the runner in a session of its own: it outlives this agent, and no terminal or process group reaches it. The working
 * directory stays (a loader in the arguments is resolved against it). Undefined when it could not be started or ended at once.
 */
export async function spawnRunner(
  deviceDir: string,
  files: RunFiles,
  runId: string,
  onExit: (how: string) => void,
): Promise<ProcessId | undefined> {
  const log = await open(files.log, 'a', 0o600);
  try {
    const [command, args] = selfCommand('runner', deviceDir, runId);
    const child = spawn(command, args, { detached: true, stdio: ['ignore', log.fd, log.fd] });
    child.once('error', (error) => onExit(error.message));
    child.once('exit', (code, signal) => onExit(signal === null ? `exit code ${code}` : `signal ${signal}`));
    child.unref();
    const runner = child.pid === undefined ? undefined : identify(child.pid);
    if (runner !== undefined) await writeSpawned(files, runner);
    return runner;
  } finally {
    await log.close();
  }
}
