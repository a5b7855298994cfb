/** The runner process, detached from the agent that started it: it carries out one Live stream, or several that copy their source. */
import { setTimeout as delay } from 'node:timers/promises';
import { boundLog } from '../log-file.ts';
import { runFiles } from '../run-dir.ts';
import { CarriedRun } from './carried-run.ts';

/**
 * The start of a process blocks this thread for 10–25 ms: those of a run are over when a timer is on time again. Many that begin at once would be
 * seen by the viewers of another.
 */
const [CALM_MS, LATE_MS, MAX_WAIT_MS] = [4, 4, 60];

/**
 * Runs until every stream that it carries out has stopped or failed, then resolves; nothing but their files is left. Rejects when the run
 * directory of the first cannot be used, or another runner already has it.
 */
export async function runRunner(deviceDir: string, runId: string): Promise<void> {
  // Run directories hold stream keys: nobody else may read the files of this process, unless a file's mode says so.
  process.umask(0o077);
  // The process is detached: the end of a terminal or of a log pipe is no reason to go off air.
  process.on('SIGHUP', () => undefined);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // What the process itself says, such as the reason of its end, is in the log of its first run.
  boundLog(runFiles(deviceDir, runId).log);
  const runner = new Runner(deviceDir);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => runner.stop());
  await runner.take(runId);
  await runner.over;
}

class Runner {
  private readonly deviceDir: string;
  /** Those that are being taken have no run yet. */
  private readonly runs = new Map<string, Promise<CarriedRun>>();
  private isStopping = false;
  /** Resolves when the last run that was taken has begun. */
  private begun: Promise<unknown> = Promise.resolve();
  /** Resolves when no run is left. */
  readonly over: Promise<void>;
  private onOver!: () => void;

  constructor(deviceDir: string) {
    this.deviceDir = deviceDir;
    this.over = new Promise((resolve) => (this.onOver = resolve));
  }

  /** Resolves when the run is reported on, and can be asked to stop. Rejects with the reason why it cannot be carried out here. */
  async take(runId: string): Promise<void> {
    if (this.isStopping) throw new Error('This runner is ending.');
    const known = this.runs.get(runId);
    if (known !== undefined) return void (await known);
    const run = this.begun.then(() =>
      CarriedRun.begin(this.deviceDir, runId, {
        sharers: () => this.runs.size,
        take: (other) => this.take(other),
      }),
    );
    this.begun = run.catch(() => undefined).then(calm);
    this.runs.set(runId, run);
    try {
      const { over } = await run;
      void over.then(() => this.left(runId));
    } catch (error) {
      this.left(runId);
      throw error;
    }
  }

  stop(): void {
    this.isStopping = true;
    for (const run of this.runs.values()) void run.then((taken) => taken.stop()).catch(() => undefined);
  }

  private left(runId: string): void {
    this.runs.delete(runId);
    if (this.runs.size === 0) this.onOver();
  }
}

async function calm(): Promise<void> {
  const begunAt = performance.now();
  let lateMs: number;
  do {
    const before = performance.now();
    await delay(CALM_MS);
    lateMs = performance.now() - before - CALM_MS;
  } while (lateMs > LATE_MS && performance.now() - begunAt < MAX_WAIT_MS);
}
