/**
 * The standby runner: while something is on air, one process has the runner's program loaded and waits for a run. The successor of a killed
 * runner then begins without a start of Node, which takes 0.3 s and, on a busy machine, several times that. There is one for the whole
 * agent: two runners seldom die within seconds, and then the second one's successor starts as the first runner of a run does.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { identify, isAlive, type ProcessId } from '../../process.ts';
import { selfCommand } from '../../self-command.ts';
import type { Log } from '../../../domain/base/log.ts';
import { howEnded } from './spawn-runner.ts';

/** The pause after a broadcast came on air, or after the standby runner was used: a run that starts then needs the machine more. */
const CALM_MS = 3000;
/** The pause after a standby runner ended by itself: the reason may still be there. */
const AGAIN_MS = 10_000;

interface Waiting {
  child: ChildProcess;
  identity: ProcessId;
  onExit?: (how: string) => void;
}

export class StandbyRunner {
  private readonly deviceDir: string;
  private readonly log: Log;
  private isWanted = false;
  private waiting: Waiting | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(deviceDir: string, log: Log) {
    this.deviceDir = deviceDir;
    this.log = log;
  }

  /** Repeated calls with the same value change nothing. */
  setWanted(isWanted: boolean): void {
    if (isWanted === this.isWanted) return;
    this.isWanted = isWanted;
    if (isWanted) return this.startIn(CALM_MS);
    clearTimeout(this.timer);
    const waiting = this.waiting;
    this.waiting = undefined;
    // It has no work to finish.
    waiting?.child.kill('SIGKILL');
  }

  /** The standby runner becomes the run's runner; undefined when there is none. */
  take(runId: string, onExit: (how: string) => void): ProcessId | undefined {
    const waiting = this.waiting;
    if (waiting === undefined || !isAlive(waiting.identity.pid, waiting.identity.startTicks)) return undefined;
    this.waiting = undefined;
    waiting.onExit = onExit;
    waiting.child.stdin?.end(`${runId}\n`);
    this.startIn(CALM_MS);
    return waiting.identity;
  }

  private startIn(ms: number): void {
    this.timer = setTimeout(() => this.start(), ms);
    this.timer.unref();
  }

  private start(): void {
    const [command, args] = selfCommand('spare', this.deviceDir);
    // Its standard input brings the order, and the end of it is the end of this agent: no agent leaves one behind, however it ends.
    const child: ChildProcess = spawn(command, args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    child.unref();
    // The exit event reports a runner that is gone.
    child.stdin?.on('error', () => undefined);
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    const waiting = identity && { child, identity };
    this.waiting = waiting;
    child.once('error', (error) => this.onEnd(waiting, error.message));
    child.once('exit', (code, signal) => this.onEnd(waiting, howEnded(code, signal)));
  }

  private onEnd(ended: Waiting | undefined, how: string): void {
    if (ended !== this.waiting) return ended?.onExit?.(how);
    this.waiting = undefined;
    if (!this.isWanted) return;
    this.log.warn({ exit: how }, 'The runner in waiting has ended; another one is started in a while.');
    this.startIn(AGAIN_MS);
  }
}
