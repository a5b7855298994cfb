/**
 * Ends every process of a run, and asks before it signals. The time is bounded: a runner that obeys is gone within 100 ms; one that hangs,
 * or was stopped by SIGSTOP, costs the sum of the limits below, 6.5 s. SIGKILL works on a stopped process too.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { RunFiles } from '../../run-dir.ts';
import { signalAndWait, waitForEnd, type ProcessId } from '../../process.ts';
import type { Log } from '../../../domain/base/log.ts';
import { findChildren, hasLeft } from './run-record.ts';
import { callSocket } from '../../socket-http.ts';

/** A runner closes recordings and drains publishers between the request and its end. */
const ASK_MS = 3000;
const TERM_MS = 1000;
/** Children lose their pipes with the runner and end within 30 ms. */
const CHILDREN_MS = 300;
const CHILDREN_TERM_MS = 700;
/** A successor waits so long for the children of a dead runner: an ffmpeg at the end of its input writes its last fragment within 20 ms. */
const REMAINS_MS = 200;
/** SIGKILL takes effect at once unless the kernel itself is busy for the process (a dead network disk); then it is tried again. */
const KILL_MS = 1500;
const LOOK_EVERY_MS = 20;

export interface EndOptions {
  /** It is false when the runner has written final.json and only has to go. */
  ask: boolean;
  log: Log;
  /** Tells whether the runner carries out other runs. */
  isShared(runner: ProcessId): boolean;
  /** It fires when the agent leaves: processes that still live are left to the next agent. */
  signal: AbortSignal;
}

export async function endRun(files: RunFiles, runner: ProcessId | undefined, options: EndOptions): Promise<void> {
  const { log, signal } = options;
  // The list is read before the runner ends too: a dying runner may take its children off the list while they still live.
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
  const { ask, log, signal, isShared } = options;
  const ended = waitForLeave(files, runner, ASK_MS);
  // The end of the process counts and not the answer: a runner may answer before or after its end, or not at all. A runner that is still
  // starting has no socket yet, and would be on air before anybody asked it again.
  let left = await (ask ? Promise.race([ended, unreachable(files, runner)]) : ended);
  if (left.length > 0) {
    log.warn(
      { run: files.dir, pid: runner.pid },
      'The runner does not end when asked, or cannot be asked; it is signalled.',
    );
    // A run that waits for its children ends without them, and the other runs of its process go on.
    if (isShared(runner)) await signalAndWait(findChildren(files), 'SIGKILL', KILL_MS);
    else await signalAndWait(left, 'SIGTERM', 0);
    left = await waitForLeave(files, runner, TERM_MS);
  }
  while (left.length > 0 && !signal.aborted) left = await signalAndWait(left, 'SIGKILL', KILL_MS);
}

/** Resolves when the runner has ended, or has left the run and goes on with others; or with the runner, after `timeoutMs`. */
async function waitForLeave(files: RunFiles, runner: ProcessId, timeoutMs: number): Promise<ProcessId[]> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const left = await waitForEnd([runner], 0);
    if (left.length === 0 || hasLeft(files)) return [];
    if (performance.now() >= deadline) return left;
    await delay(LOOK_EVERY_MS);
  }
}

/** Asks a runner to end; resolves when its socket is not there, and never otherwise. */
function unreachable({ socket }: RunFiles, runner: ProcessId): Promise<ProcessId[]> {
  const reply = callSocket({ socket, method: 'POST', path: '/stop', body: {}, timeoutMs: ASK_MS });
  return new Promise((resolve) => {
    reply.catch(({ code }: NodeJS.ErrnoException) => {
      if (code === 'ENOENT' || code === 'ECONNREFUSED') resolve([runner]);
    });
  });
}

/**
 * Ends the processes of a runner that died or hangs. Children that the kernel did not end with it get the end of their pipes and a moment
 * to write their rest, which is the end of a Recording; then they are killed.
 */
export async function killRun(files: RunFiles, runner: ProcessId | undefined, signal: AbortSignal): Promise<void> {
  const known = findChildren(files);
  // The runner ends first, and its list is read again after that: it must not start another child in between.
  let left: ProcessId[] = runner === undefined ? [] : await signalAndWait([runner], 'SIGKILL', KILL_MS);
  left = await waitForEnd(union(left, union(known, findChildren(files))), REMAINS_MS);
  while (left.length > 0 && !signal.aborted) left = await signalAndWait(left, 'SIGKILL', KILL_MS);
}

function union(some: ProcessId[], others: ProcessId[]): ProcessId[] {
  return [...some, ...others.filter((other) => !some.some(({ pid }) => pid === other.pid))];
}
