/** The signals and the last errors of the agent's process: none of them ends a broadcast. */
import type { Log } from '../../domain/base/log.ts';

/** The log has no reader any more, or its disk is full. */
const LOST_LINE: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO', 'ENOSPC', 'EDQUOT']);

/** SIGTERM and SIGINT end the agent alone; SIGHUP (the end of its terminal, or of its parent) has no effect. */
export class Signals {
  private readonly log: Log;
  private term: (() => void) | undefined;
  private isDue = false;

  constructor(log: Log) {
    this.log = log;
    process.on('SIGHUP', ignore);
    process.on('SIGTERM', this.onTermSignal);
    process.on('SIGINT', this.onTermSignal);
    process.stdout.on('error', ignore);
    process.stderr.on('error', ignore);
    process.on('uncaughtException', this.onUncaught);
  }

  onTerm(task: () => void): void {
    this.term = task;
    if (this.isDue) task();
  }

  release(): void {
    process.off('SIGHUP', ignore).off('SIGTERM', this.onTermSignal).off('SIGINT', this.onTermSignal);
    process.stdout.off('error', ignore);
    process.stderr.off('error', ignore);
    process.off('uncaughtException', this.onUncaught);
  }

  /** The log's end may be closed long before the agent: a lost line must not end the supervision of broadcasts. */
  private readonly onUncaught = (error: NodeJS.ErrnoException): void => {
    if (error.syscall === 'write' && LOST_LINE.has(error.code)) return;
    this.log.error({ err: error }, 'The agent failed; it is to be started again, broadcasts stay on air.');
    process.exit(1);
  };

  private readonly onTermSignal = (): void => {
    this.log.info({}, 'The agent ends; broadcasts stay on air.');
    // A signal that comes while the agent starts takes effect when it has started.
    this.isDue = true;
    this.term?.();
  };
}

function ignore(): void {
  // An empty handler keeps Node from ending the process.
}
