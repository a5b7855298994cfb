/** Children whose pipes are there whatever happens. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { PassThrough } from 'node:stream';

/**
 * Node makes no pipe at all where no descriptor is free, and the child says so by `error` as any that could not be started: then its pipes
 * are ended streams, so that whoever reads and writes them need not look.
 */
export function spawnPiped(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options);
  if ((child as Partial<ChildProcess>).stdio !== undefined) return child;
  const { stdio = 'pipe' } = options;
  const kinds = typeof stdio === 'string' ? [stdio, stdio, stdio] : stdio;
  const pipes = kinds.map((kind) => (kind === 'pipe' ? new PassThrough().end() : null));
  const [stdin = null, stdout = null, stderr = null] = pipes;
  return Object.assign(child, { stdio: pipes, stdin, stdout, stderr }) as unknown as ChildProcess;
}
