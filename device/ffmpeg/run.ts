/** Runs an ffmpeg or ffprobe to its end. */
import { setPriority } from 'node:os';
import { launch, type FileAccess, type Work } from './launch.ts';
import type { MediaProgram } from './programs.ts';
import { trySandbox } from './trial.ts';

export interface RunOptions {
  access?: FileAccess;
  work?: Work;
  /** The child gets these open files as descriptors 3, 4, …: `/proc/self/fd/3` is the first, whatever happens to its name. */
  files?: readonly number[];
  /** Milliseconds until it is ended with SIGKILL; without it there is no limit. */
  limitMs?: number;
  signal?: AbortSignal;
  /** Receives its stdout, and `stdout` of the outcome stays empty; a call that returns true grants `limitMs` once more. */
  onOutput?: (chunk: Buffer) => boolean;
  /** 1 (behind others) to 19 (only when nobody else wants the processor). */
  niceness?: number;
  usesDrivers?: boolean;
  program?: string;
}

export interface Outcome {
  /** It is null when the program could not be started or was ended by a signal. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  /** The end of its stderr. */
  stderr: string;
  /** The beginning of its stderr. */
  head: string;
  /** The reason why it could not be started. */
  failure?: NodeJS.ErrnoException;
}

/** A longer output is not an answer of ffprobe. */
const MAX_OUTPUT = 4 << 20;
const KEPT_COMPLAINTS = 2000;
/** ffmpeg begins with its name and version. */
const KEPT_HEAD = 200;

/** Resolves when it has ended and all its output has been read. Rejects only when a file that it is to write cannot be created. */
export async function runMedia(
  name: MediaProgram,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> {
  const { access, work = 'read', files = [], limitMs, signal, onOutput, niceness, usesDrivers, program } = options;
  // A process that reads nothing but drivers and lists is not confined, and need not wait for the trial.
  const sandbox = usesDrivers === true ? 'none' : (await trySandbox()).sandbox;
  const openFiles = { reads: [...(access?.reads ?? []), ...files.map((_, at) => inheritedFile(at))] };
  const child = launch(name, args, {
    stdio: ['ignore', 'pipe', 'pipe', ...files],
    work,
    sandbox,
    usesDrivers,
    program,
    access: { ...access, ...openFiles },
  });
  const outcome: Outcome = { code: null, signal: null, stdout: '', stderr: '', head: '' };
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
    const text = chunk.toString('utf8');
    outcome.stderr = `${outcome.stderr}${text}`.slice(-KEPT_COMPLAINTS);
    outcome.head = `${outcome.head}${text}`.slice(0, KEPT_HEAD);
  });
  if (niceness !== undefined && child.pid !== undefined) yieldToOthers(child.pid, niceness);
  await new Promise<void>((resolve) => {
    child.once('error', (failure: NodeJS.ErrnoException) => {
      outcome.failure ??= failure;
      if (child.pid === undefined) resolve();
    });
    child.once('close', (code, endSignal) => {
      Object.assign(outcome, { code, signal: endSignal });
      resolve();
    });
  });
  clearTimeout(timer);
  signal?.removeEventListener('abort', kill);
  outcome.stdout = Buffer.concat(chunks).toString('utf8');
  return outcome;
}

/** The path under which the child opens file `at` of those that it got. */
export function inheritedFile(at: number): string {
  return `/proc/self/fd/${3 + at}`;
}

function yieldToOthers(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // The process has ended already.
  }
}
