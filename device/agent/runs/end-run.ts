/**
 * Ends every process of a run, politely first. Bounded: a runner that takes its leave is gone within 100 ms; one that hangs, or
 * was stopped by SIGSTOP, costs the sum of the limits below, 6.5 s. SIGKILL works on a stopped process too.
 */
import type { RunFiles } from '../../run-dir.ts';
import { signalAndWait, waitForEnd, type ProcessId } from '../../process.ts';
import type { Log } from '../../../domain/log.ts';
import { findChildren } from './run-record.ts';
import { callSocket } from '../../socket-http.ts';

/** From the request to the end of the process: recordings are closed and publishers drained in it. */
const ASK_MS = 3000;
const TERM_MS = 1000;
/** Children lose their pipes with the runner and end within 30 ms. */
const CHILDREN_MS = 300;
const CHILDREN_TERM_MS = 700;
/** Of a dead runner a successor waits for: an ffmpeg at the end of its input writes its last fragment within 20 ms. */
const REMAINS_MS = 200;
/** SIGKILL takes effect at once unless the kernel itself is busy for the process (a dead network disk): tried again then. */
const KILL_MS = 1500;

export interface EndOptions {
  /** False: the runner has said its last word (final.json) and only has to go. */
  ask: boolean;
  log: Log;
  /** The agent leaves: what still lives is its successor's business. */
  signal: AbortSignal;
}

export async function endRun(files: RunFiles, runner: ProcessId | undefined, options: EndOptions): Promise<void> {
  const { log, signal } = options;
  // Read before the runner ends too: a dying runner may take its children off the list while they still live.
  let children = findChildren(files);
  if (runner !== undefined) {
    await endRunner(files, runner, options);
    children = union(children, findChildren(files));
  }
  let left = await waitForEnd(children, CHILDREN_MS);
  if (left.length > 0) {
    log.warn(
      { run: files.dir, pids: left.map(({ pid }) => pid) },
      'Children outlived their runner; they are ended now.',
    );
    left = await signalAndWait(left, 'SIGTERM', CHILDREN_TERM_MS);
  }
  while (left.length > 0 && !signal.aborted) left = await signalAndWait(left, 'SIGKILL', KILL_MS);
}

async function endRunner(files: RunFiles, runner: ProcessId, options: EndOptions): Promise<void> {
  const { ask, log, signal } = options;
  const ended = waitForEnd([runner], ASK_MS);
  // The answer does not matter, the end of the process does: a runner may answer before or after, or not at all. One that is still
  // starting has no door yet, and would be on air before anybody asked it again.
  let left = await (ask ? Promise.race([ended, unreachable(files, runner)]) : ended);
  if (left.length > 0) {
    log.warn(
      { run: files.dir, pid: runner.pid },
      'The runner does not end when asked, or cannot be asked; it is signalled.',
    );
    left = await signalAndWait(left, 'SIGTERM', TERM_MS);
  }
  while (left.length > 0 && !signal.aborted) left = await signalAndWait(left, 'SIGKILL', KILL_MS);
}

/** Asks a runner to end; resolves when it has no door, and never otherwise. */
function unreachable({ socket }: RunFiles, runner: ProcessId): Promise<ProcessId[]> {
  const reply = callSocket({ socket, method: 'POST', path: '/stop', body: {}, timeoutMs: ASK_MS });
  return new Promise((resolve) => {
    reply.catch(({ code }: NodeJS.ErrnoException) => {
      if (code === 'ENOENT' || code === 'ECONNREFUSED') resolve([runner]);
    });
  });
}

/**
 * What a runner that died or hangs leaves behind. What the kernel did not end with it has the end of its pipes and a moment to write what
 * it holds, which is the end of a Recording; then it is killed.
 */
export async function killRun(files: RunFiles, runner: ProcessId | undefined, signal: AbortSignal): Promise<void> {
  const known = findChildren(files);
  // The runner first and its list again after: it must not start another child in between.
  let left: ProcessId[] = runner === undefined ? [] : await signalAndWait([runner], 'SIGKILL', KILL_MS);
  left = await waitForEnd(union(left, union(known, findChildren(files))), REMAINS_MS);
  while (left.length > 0 && !signal.aborted) left = await signalAndWait(left, 'SIGKILL', KILL_MS);
}

function union(some: ProcessId[], others: ProcessId[]): ProcessId[] {
  return [...some, ...others.filter((other) => !some.some(({ pid }) => pid === other.pid))];
}
