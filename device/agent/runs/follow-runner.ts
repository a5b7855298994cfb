/** Watches one living runner until it is gone, hangs, or the agent leaves. */
import { uptime } from 'node:os';
import { jsonOf } from '../../../domain/base/json.ts';
import { pause } from '../../../domain/time/pause.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import { isAlive, ProcessorWatch, type ProcessId } from '../../process.ts';
import { callSocket, followLines } from '../../socket-http.ts';

export interface RunnerToFollow {
  socket: string;
  runner: ProcessId;
  /** The runner is one of an earlier agent, and hears that it has a new one. */
  adopted: boolean;
  /** Reports come once a second; a runner without any for so many milliseconds, which uses no processor and waits for none, hangs. */
  frozenMs: number;
  /** The same limit for a young runner until its first report: a start of Node on a busy machine takes seconds. */
  startMs: number;
  onReport: (report: RunReport) => void;
  /** Tells whether the run is still the runner's: its process may live on with other runs. */
  isCarried: () => boolean;
  /** It ends the following, and not the runner. */
  signal: AbortSignal;
}

/** The reason why the watch has ended: the runner is gone or hangs, or the caller has aborted it. */
export type WatchEnd = 'gone' | 'frozen' | 'left';

/** A runner that does not answer (yet) is tried again after this time; 20 ms is less than one frame, so an adopted runner loses none. */
const CONNECT_EVERY_MS = 20;
const CHECK_EVERY_MS = 250;
/** One that is so late is looked at more closely. */
const LATE_MS = 1000;
/** On a machine at its limits a runner is late, and its successor would be later still; it is waited for no longer than this. */
const BUSY_MS = 20_000;

export async function followRunner(target: RunnerToFollow): Promise<WatchEnd> {
  // startTicks are hundredths of a second since boot (USER_HZ is 100 on every Linux that Node runs on).
  const ageMs = uptime() * 1000 - target.runner.startTicks * 10;
  const silence = new SilenceWatch(target.runner.pid, Math.max(target.frozenMs, target.startMs - ageMs));
  const greeting = { due: target.adopted };
  while (!target.signal.aborted) {
    const ending = await followConnection(target, silence, greeting);
    if (ending !== 'closed') return ending;
    await pause(CONNECT_EVERY_MS, target.signal);
  }
  return 'left';
}

/** Follows one connection; resolves with `closed` when that ended while the runner lives. */
function followConnection(
  target: RunnerToFollow,
  silence: SilenceWatch,
  greeting: { due: boolean },
): Promise<WatchEnd | 'closed'> {
  const { socket, runner, frozenMs, signal } = target;
  return new Promise((resolve) => {
    const settle = (ending: WatchEnd | 'closed'): void => {
      clearInterval(timer);
      signal.removeEventListener('abort', leave);
      end();
      resolve(ending);
    };
    const leave = (): void => settle('left');
    const check = (closed: boolean): void => {
      if (!isAlive(runner.pid, runner.startTicks)) settle('gone');
      else if (closed && !target.isCarried()) settle('gone');
      else if (silence.isTooLong()) settle('frozen');
      else if (closed) settle('closed');
    };
    const timer = setInterval(check, CHECK_EVERY_MS, false);
    signal.addEventListener('abort', leave, { once: true });
    const end = followLines({
      socket,
      path: '/watch',
      // `silence` tells whether the runner hangs and allows for its start; this only ends a connection that is dead without notice.
      silenceMs: target.startMs + frozenMs,
      onOpen: () => {
        if (greeting.due) greet(socket, frozenMs, greeting);
      },
      onLine: (line) => {
        const report = jsonOf(line) as RunReport | undefined;
        if (report?.phase === undefined) return;
        silence.reset(frozenMs);
        target.onReport(report);
      },
      onClose: () => check(true),
    });
  });
}

/** Tells the runner that it was adopted; a failed greeting is due again on the next connection. */
function greet(socket: string, timeoutMs: number, greeting: { due: boolean }): void {
  greeting.due = false;
  callSocket({ socket, method: 'POST', path: '/adopted', body: {}, timeoutMs }).catch(() => {
    greeting.due = true;
  });
}

/** Measures how long the runner has been silent, in time that this process was awake. */
class SilenceWatch {
  private limitMs: number;
  private since = performance.now();
  private checked = performance.now();
  private readonly processor: ProcessorWatch;

  constructor(pid: number, limitMs: number) {
    this.processor = new ProcessorWatch(pid);
    this.limitMs = limitMs;
  }

  reset(limitMs: number): void {
    this.limitMs = limitMs;
    this.since = performance.now();
  }

  isTooLong(): boolean {
    const now = performance.now();
    // This process itself stood still (SIGSTOP, a suspended machine): the runner's reports wait unread, and it is not to blame.
    if (now - this.checked > 4 * CHECK_EVERY_MS) this.since = now;
    this.checked = now;
    const silentMs = now - this.since;
    if (silentMs < LATE_MS) return false;
    // The first look at it was a moment after its last report.
    const isIdle = this.processor.idleMs() > this.limitMs - LATE_MS - 2 * CHECK_EVERY_MS;
    return silentMs > this.limitMs && (isIdle || silentMs > BUSY_MS);
  }
}
