/** An ffmpeg or ffprobe that is waited for. */
import { setPriority } from 'node:os';
import { launch, type FileAccess, type Work } from './launch.ts';
import type { MediaProgram } from './programs.ts';
import { trySandbox } from './trial.ts';

export interface RunOptions {
  access?: FileAccess;
  work?: Work;
  /** Files of this process that it gets as descriptors 3, 4, …: `/proc/self/fd/3` is the first, whatever became of its name. */
  files?: readonly number[];
  /** Ends it with SIGKILL. Left out: it may take as long as it likes. */
  limitMs?: number;
  signal?: AbortSignal;
  /** Gets what it writes to stdout, in place of `stdout`; each call gives it `limitMs` once more when it answers true. */
  onOutput?: (chunk: Buffer) => boolean;
  /** 1 (behind others) to 19 (only when nobody else wants the processor). */
  niceness?: number;
  usesDrivers?: boolean;
  program?: string;
}

export interface Outcome {
  /** Null when it could not be started or was ended by a signal. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  /** The last of what it complained of. */
  stderr: string;
  /** It could not be started. */
  failure?: NodeJS.ErrnoException;
}

/** More is no answer of ffprobe. */
const MAX_OUTPUT = 4 << 20;
const KEPT_COMPLAINTS = 2000;

/** Resolves when it has ended and all that it wrote has been read. Rejects only when a file to write cannot be made. */
export async function runMedia(
  name: MediaProgram,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> {
  const { access, work = 'read', files = [], limitMs, signal, onOutput, niceness, usesDrivers, program } = options;
  // What reads nothing but drivers and lists is not confined, and need not wait for a trial.
  const sandbox = usesDrivers === true ? 'none' : (await trySandbox()).sandbox;
  const opened = { reads: [...(access?.reads ?? []), ...files.map((_, at) => inheritedFile(at))] };
  const child = launch(name, args, {
    ...{ stdio: ['ignore', 'pipe', 'pipe', ...files], work, sandbox, usesDrivers, program },
    access: { ...access, ...opened },
  });
  const outcome: Outcome = { code: null, signal: null, stdout: '', stderr: '' };
  const kill = (): void => void child.kill('SIGKILL');
  const timer = limitMs === undefined ? undefined : setTimeout(kill, limitMs);
  if (signal?.aborted === true) kill();
  signal?.addEventListener('abort', kill);
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    if (onOutput !== undefined) return void (onOutput(chunk) && timer?.refresh());
    bytes += chunk.length;
    if (bytes > MAX_OUTPUT) kill();
    else chunks.push(chunk);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    outcome.stderr = `${outcome.stderr}${chunk.toString('utf8')}`.slice(-KEPT_COMPLAINTS);
  });
  if (niceness !== undefined && child.pid !== undefined) yieldToOthers(child.pid, niceness);
  await new Promise<void>((resolve) => {
    child.once('error', (failure: NodeJS.ErrnoException) => {
      outcome.failure ??= failure;
      if (child.pid === undefined) resolve();
    });
    child.once('close', (code, ended) => {
      Object.assign(outcome, { code, signal: ended });
      resolve();
    });
  });
  clearTimeout(timer);
  signal?.removeEventListener('abort', kill);
  outcome.stdout = Buffer.concat(chunks).toString('utf8');
  return outcome;
}

/** By which it opens file `at` of those that it got. */
export function inheritedFile(at: number): string {
  return `/proc/self/fd/${3 + at}`;
}

function yieldToOthers(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended already.
  }
}
